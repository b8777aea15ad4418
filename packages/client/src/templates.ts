import type {
  ChangeTemplate,
  RenderTemplate,
  Template,
  TemplateContent,
  TemplateDetail,
  TemplateDraft,
  TemplateList,
  TemplateRendering,
  TemplateVersion,
  TemplateVersionDetail,
  TemplateVersionList,
} from './api-types.js';
import { listOf } from './list-of.js';
import type { Pages } from './pages.js';
import { path } from './path.js';
import type { Query } from './query.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** `client.templates` */
export class Templates {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query?: Query<'listTemplates'>, options?: CallOptions): Pages<Template> {
    return listOf(this.#transport, { path: '/api/templates', query, options }, (body: TemplateList) => body.templates);
  }

  create(template: TemplateContent, options?: CallOptions): Promise<Template> {
    return this.#transport.json({ method: 'POST', path: '/api/templates', body: template, options });
  }

  get(id: string, options?: CallOptions): Promise<TemplateDetail> {
    return this.#transport.json({ method: 'GET', path: path`/api/templates/${id}`, options });
  }

  /** Creates a new version. With the `version` that was read, a 409 means that the template has changed meanwhile. */
  change(id: string, template: ChangeTemplate, options?: CallOptions): Promise<Template> {
    return this.#transport.json({
      method: 'PUT',
      path: path`/api/templates/${id}`,
      body: template,
      // Without it, a repetition would create another version.
      isRepeatable: template.version !== undefined,
      options,
    });
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.json({ method: 'DELETE', path: path`/api/templates/${id}`, options });
  }

  /** Versions of a template, newest first. */
  versions(id: string, query?: Query<'listTemplateVersions'>, options?: CallOptions): Pages<TemplateVersion> {
    const call = { path: path`/api/templates/${id}/versions`, query, options };
    return listOf(this.#transport, call, (body: TemplateVersionList) => body.versions);
  }

  version(id: string, version: number, options?: CallOptions): Promise<TemplateVersionDetail> {
    const route = path`/api/templates/${id}/versions/${String(version)}`;
    return this.#transport.json({ method: 'GET', path: route, options });
  }

  /** The rendered HTML with all links disabled. */
  async preview(id: string, query?: Query<'previewTemplate'>, options?: CallOptions): Promise<string> {
    const call = { method: 'GET', path: path`/api/templates/${id}/preview`, query, options } as const;
    return this.#transport.text(call);
  }

  /** Renders a template that is not saved, without tracking. */
  renderDraft(draft: TemplateDraft, options?: CallOptions): Promise<TemplateRendering> {
    const call = { method: 'POST', path: '/api/templates/render', body: draft, isRepeatable: true, options } as const;
    return this.#transport.json(call);
  }

  /** Renders a template, without tracking. */
  render(id: string, body: RenderTemplate = {}, options?: CallOptions): Promise<TemplateRendering> {
    return this.#transport.json({
      method: 'POST',
      path: path`/api/templates/${id}/render`,
      body,
      isRepeatable: true,
      options,
    });
  }
}

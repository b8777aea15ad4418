import { Injectable } from '@nestjs/common';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { isMjml } from '../../rendering/mjml.js';
import type { MessageSource } from '../../rendering/personalize/message-template.js';
import { hasUnsubscribePlace } from '../../rendering/unsubscribe-places.js';
import { MessageRendering, unsubscribeInSubject } from '../../templates/message-rendering.js';
import { TemplateNotFoundError } from '../../templates/template-errors.js';
import { Templates } from '../../templates/templates.js';
import { EmailHtml } from './html-content.js';
import type { NewEmail } from './new-email.js';
import { requirePlainSubject } from './plain-text.js';
import { isLongSubject, MAX_SUBJECT } from './content-rules.js';
import type { SendRequest } from './send-request.js';

type Content = Pick<NewEmail, 'subject' | 'html' | 'text'>;
type ContentRequest = Pick<
  SendRequest,
  'subject' | 'htmlContent' | 'textContent' | 'templateId' | 'variables' | 'strict' | 'unsubscribe'
>;

/** A message, with the original source of its HTML. */
export interface WrittenMessage {
  readonly source: MessageSource;
  /** Null if it was written as HTML. */
  readonly mjml: string | null;
}

/** Reads the subject, HTML and text of a request: compiles MJML and fills in variables. */
@Injectable()
export class MessageContent {
  /**
   * The template that each request has read last: hundreds of messages of a batch use the same one, which can have
   * megabytes. Not more of them, because they would fill the memory.
   */
  private readonly latest = new WeakMap<Caller, { readonly id: string; readonly message: Promise<WrittenMessage> }>();

  constructor(
    private readonly html: EmailHtml,
    private readonly messages: MessageRendering,
    private readonly templates: Templates,
  ) {}

  /**
   * Without a template and without variables, nothing is interpreted.
   * @throws InvalidFieldError, TooManyRenderingsError, TooManyBodyBytesError, BodyShareExceededError
   */
  async read(caller: Caller, request: ContentRequest): Promise<Content> {
    if (request.templateId !== undefined || request.variables !== undefined) return this.fillIn(caller, request);
    requirePlainSubject(request.subject ?? '');
    if (request.unsubscribe === true && hasUnsubscribePlace(request.subject ?? '')) throw unsubscribeInSubject();
    return this.asGiven(caller, request);
  }

  /** Compiles MJML alone. @throws InvalidFieldError, TooManyRenderingsError */
  async asGiven(caller: Caller, { subject = '', htmlContent, textContent }: ContentRequest): Promise<Content> {
    const html = htmlContent === undefined ? '' : await this.html.read(caller, htmlContent);
    return { subject, html, text: textContent ?? null };
  }

  private async fillIn(caller: Caller, request: ContentRequest): Promise<Content> {
    const { variables = {}, strict = false, unsubscribe = false } = request;
    const { source } = await this.sourceOf(caller, request);
    if (unsubscribe) await this.messages.requireNoAddressIn(caller, source.subject);
    // The unsubscribe address is known only when the email is rendered for its recipient, so its placeholder stays.
    const values = { ...variables, ...(unsubscribe && { unsubscribe_url: '{{unsubscribe_url}}' }) };
    const rendered = await this.messages.render(caller, source, values, {
      strict,
      isNew: request.templateId === undefined,
    });
    const { subject, text } = rendered;
    // A few characters of a template can become megabytes.
    caller.reserve?.(Buffer.byteLength(rendered.html ?? '') + Buffer.byteLength(text ?? ''));
    if (subject === '') throw new InvalidFieldError('subject', 'is empty with these variables');
    if (isLongSubject(subject)) {
      throw new InvalidFieldError('subject', `has more than ${MAX_SUBJECT} characters with these variables`);
    }
    requirePlainSubject(subject);
    const html = rendered.html ?? '';
    if (html === '' && text === null) {
      throw new InvalidFieldError('htmlContent', 'is empty with these variables');
    }
    return { subject, html, text };
  }

  /**
   * Fields of the request override those of its template.
   * @throws InvalidFieldError, TooManyRenderingsError
   */
  async sourceOf(
    caller: Caller,
    { subject, htmlContent, textContent, templateId }: Omit<ContentRequest, 'variables' | 'strict' | 'unsubscribe'>,
  ): Promise<WrittenMessage> {
    const own = await this.messages.toSource(caller, { subject: subject ?? '', htmlContent, textContent });
    const mjml = htmlContent !== undefined && isMjml(htmlContent) ? htmlContent : null;
    if (templateId === undefined) return { source: own, mjml };
    const { source: template, mjml: written } = await this.templateOf(caller, templateId);
    const source = {
      subject: subject ?? template.subject,
      html: own.html ?? template.html,
      text: own.text ?? (own.html === null ? template.text : null),
    };
    return { source, mjml: own.html === null ? written : mjml };
  }

  private templateOf(caller: Caller, id: string): Promise<WrittenMessage> {
    const latest = this.latest.get(caller);
    if (latest?.id === id) return latest.message;
    const message = this.readTemplate(caller.organizationId, id);
    this.latest.set(caller, { id, message });
    return message;
  }

  private async readTemplate(organizationId: string, id: string): Promise<WrittenMessage> {
    try {
      return await this.templates.message(organizationId, id);
    } catch (error) {
      if (error instanceof TemplateNotFoundError) {
        throw new InvalidFieldError('templateId', 'names no template of your organization');
      }
      throw error;
    }
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { isUuid, uuidV7 } from '../platform/clock/uuid-v7.js';
import { containsText } from '../platform/database/contains-text.sql.js';
import { Database, type Sql } from '../platform/database/database.js';
import { pageUpToBytes, toPageUpToBytes, type RowUpToBytes } from '../platform/http/page-up-to-bytes.sql.js';
import type { Page, PageRequest } from '../platform/http/paging.js';
import { Budgets } from '../organizations/budgets/budgets.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { AuditLog, authorOf, type Author } from '../organizations/audit/record-audit.js';
import type { Variables } from '../rendering/liquid/liquid-template.js';
import type { MessageSource } from '../rendering/personalize/message-template.js';
import { deleteTemplate } from './delete-template.js';
import { MessageRendering, type CheckedMessage } from './message-rendering.js';
import { readTemplate } from './read-template.js';
import { requireTemplateRoom } from './template-room.js';
import { TemplateChangedError, TemplateNotFoundError } from './template-errors.js';
import {
  TEMPLATE_COLUMNS,
  toTemplateDetail,
  toTemplateView,
  type TemplateContentRow,
  type TemplateDetail,
  type TemplateRendering,
  type TemplateRow,
  type TemplateView,
} from './template-view.js';

/** $1 organization, $2 last ID of the page before, $3 rows, $4 part of the name. The names of variables can be long. */
const LIST = pageUpToBytes(
  `select ${TEMPLATE_COLUMNS}, octet_length(array_to_string(v.variables, '')) as bytes
     from templates t join template_versions v on v.template_id = t.id and v.version = t.version
    where t.organization_id = $1 and ($2::uuid is null or t.id < $2)
      and ($4 = '' or ${containsText('t.name', '$4')})
    order by t.id desc limit $3`,
  'id desc',
);

export interface NewTemplate {
  readonly name: string;
  readonly subject: string;
  readonly htmlContent: string;
  readonly textContent?: string;
}

interface TemplateMessage {
  readonly source: MessageSource;
  /** The original MJML; null for HTML. */
  readonly mjml: string | null;
  readonly versionId: string;
}

/**
 * The templates of an organization. A change creates a new version; emails and broadcasts that copied an older one keep
 * it.
 */
@Injectable()
export class Templates {
  constructor(
    private readonly database: Database,
    private readonly messages: MessageRendering,
    private readonly budgets: Budgets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws InvalidFieldError when it does not parse, TemplateLimitError */
  async create(caller: Caller, template: NewTemplate): Promise<TemplateView> {
    const checked = await this.messages.checkTemplate(caller, template);
    const id = uuidV7(this.clock.now());
    return this.storing(caller, template, checked, async (sql) => {
      await requireTemplateRoom(sql, caller.organizationId);
      await sql.query('insert into templates (id, organization_id, name) values ($1, $2, $3)', [
        id,
        caller.organizationId,
        template.name,
      ]);
      await record(sql, authorOf(caller), 'template.created', id);
      return this.addVersion(sql, id, template, checked);
    });
  }

  /** Newest first. @param search part of the name, ignoring case; may be empty */
  async list(organizationId: string, search: string, page: PageRequest): Promise<Page<TemplateView>> {
    const values = [organizationId, page.after?.[0] ?? null, page.limit + 1, search];
    const rows = await this.database.inReadTurn(organizationId, () =>
      this.database.query<TemplateRow & RowUpToBytes & Record<string, unknown>>(LIST, values),
    );
    return toPageUpToBytes(rows, page.limit, toTemplateView, (row) => [row.id]);
  }

  /** @throws TemplateNotFoundError */
  async get(organizationId: string, id: string): Promise<TemplateDetail> {
    return toTemplateDetail(await this.read(organizationId, id));
  }

  /**
   * Creates a new version. A change of an older version is refused, unless the template has this content already: then
   * it is the repetition of a request whose response was lost.
   * @param version the version that the request changes; undefined for any
   * @throws TemplateNotFoundError, TemplateChangedError, InvalidFieldError when it does not parse
   */
  async change(caller: Caller, id: string, template: NewTemplate, version?: number): Promise<TemplateView> {
    const { organizationId } = caller;
    const current = await this.read(organizationId, id);
    if (version !== undefined && version !== current.version) return repeatedChange(current, template);
    const checked = await this.messages.checkTemplate(caller, template);
    return this.storing(caller, template, checked, async (sql) => {
      const [row] = await sql.query(
        `update templates set name = $3, version = version + 1, updated_at = now()
          where organization_id = $1 and id = $2 and ($4::integer is null or version = $4) returning id`,
        [organizationId, id, template.name, version ?? null],
      );
      if (!row) return repeatedChange(await readTemplate(sql, organizationId, id), template);
      await record(sql, authorOf(caller), 'template.changed', id);
      return this.addVersion(sql, id, template, checked);
    });
  }

  /** @throws TemplateNotFoundError */
  async remove(author: Author, id: string): Promise<void> {
    if (!isUuid(id)) throw new TemplateNotFoundError();
    await deleteTemplate(this.database, author, id);
  }

  /** The newest version, without tracking. @throws TemplateNotFoundError, InvalidFieldError, TooManyRenderingsError */
  async render(caller: Caller, id: string, variables: Variables, strict: boolean): Promise<TemplateRendering> {
    const { source } = await this.message(caller.organizationId, id);
    return this.messages.preview(caller, source, variables, strict);
  }

  /** The newest version, ready to be filled in. @throws TemplateNotFoundError */
  async message(organizationId: string, id: string): Promise<TemplateMessage> {
    const row = await this.read(organizationId, id);
    const { subject, html_content: written, compiled_html: html, text_content: text, version_id: versionId } = row;
    return { source: { subject, html: html ?? written, text }, mjml: html === null ? null : written, versionId };
  }

  /** In a turn, because a template can have megabytes. @throws TemplateNotFoundError */
  private read(organizationId: string, id: string): Promise<TemplateContentRow> {
    return this.database.inReadTurn(organizationId, () => readTemplate(this.database, organizationId, id));
  }

  /** Runs a transaction that stores a version. @throws BudgetExceededError */
  private storing<Result>(
    caller: Caller,
    { subject, htmlContent, textContent }: NewTemplate,
    { source }: CheckedMessage,
    work: (sql: Sql) => Promise<Result>,
  ): Promise<Result> {
    const compiled = source.html === htmlContent ? '' : (source.html ?? '');
    const bytes = Buffer.byteLength([subject, htmlContent, textContent, compiled].join(''));
    return this.budgets.spendBytes(caller, bytes, () => this.database.transactionOf(caller.organizationId, work));
  }

  /** Stores the content of the template's version. */
  private async addVersion(
    sql: Sql,
    id: string,
    { subject, htmlContent, textContent }: NewTemplate,
    { source, variables }: CheckedMessage,
  ): Promise<TemplateView> {
    const [row] = await sql.query<TemplateRow>(
      `with t as (select * from templates where id = $2),
       v as (
         insert into template_versions (id, template_id, version, subject, html_content, compiled_html, text_content, variables)
         select $1, id, version, $3, $4, $5, $6, $7 from t
         returning version, variables)
       select ${TEMPLATE_COLUMNS} from t, v`,
      [
        uuidV7(this.clock.now()),
        id,
        subject,
        htmlContent,
        source.html === htmlContent ? null : source.html,
        textContent ?? null,
        variables,
      ],
    );
    return toTemplateView(row!);
  }
}

/** @returns the template if it has this content already @throws TemplateChangedError */
function repeatedChange(current: TemplateContentRow, template: NewTemplate): TemplateView {
  const { name, subject, htmlContent, textContent } = toTemplateDetail(current);
  const isSame =
    name === template.name &&
    subject === template.subject &&
    htmlContent === template.htmlContent &&
    textContent === (template.textContent ?? null);
  if (!isSame) throw new TemplateChangedError();
  return toTemplateView(current);
}

function record(sql: Sql, author: Author, action: 'template.created' | 'template.changed', id: string): Promise<void> {
  return AuditLog.record(sql, { ...author, action, target: { kind: 'template', id } });
}

import { Injectable } from '@nestjs/common';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { Database } from '../platform/database/database.js';
import { pageUpToBytes, toPageUpToBytes, type RowUpToBytes } from '../platform/http/page-up-to-bytes.sql.js';
import type { Page, PageRequest } from '../platform/http/paging.js';
import type { MessageHeaders } from '../emails/accept/message-headers.js';
import { withoutDigest, type AttachmentView, type StoredAttachment } from '../emails/attachments/attachment.js';
import { requestedAddressKey } from '../emails/mailbox.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { MessageRendering } from '../templates/message-rendering.js';
import type { TemplateRendering } from '../templates/template-view.js';
import { BroadcastNotFoundError, RecipientNotFoundError } from './broadcast-errors.js';

export interface BroadcastMessageView {
  readonly subject: string;
  /** With MJML already compiled; null for a message in plain text. */
  readonly htmlContent: string | null;
  readonly textContent: string | null;
  /** The original MJML; null for HTML. */
  readonly mjml: string | null;
  readonly headers: MessageHeaders | null;
  readonly attachments: readonly AttachmentView[];
}

interface MessageRow {
  subject: string;
  html: string | null;
  text: string | null;
  mjml: string | null;
  headers: MessageHeaders | null;
  attachments: readonly StoredAttachment[] | null;
}

/** A recipient that has no email yet. */
export interface BroadcastRecipientView {
  readonly to: string;
  readonly variables: Record<string, unknown> | null;
  readonly metadata: Record<string, unknown> | null;
  readonly suppressed: boolean;
}

interface RecipientRow {
  address_key: string;
  address: string;
  place: string | null;
  variables: Record<string, unknown> | null;
  metadata: Record<string, unknown> | null;
}

/** $1 broadcast, $2 last address of the page before, $3 rows. A thousand recipients have up to 20 MB of JSON. */
const LIST = pageUpToBytes(
  `select address_key, address, place, variables, metadata,
          coalesce(octet_length(variables::text), 0) + coalesce(octet_length(metadata::text), 0) as bytes
     from broadcast_recipients
    where broadcast_id = $1 and ($2::text is null or address_key > $2) order by address_key limit $3`,
  'address_key',
);

/** Reads the message and recipients of a broadcast. */
@Injectable()
export class BroadcastContent {
  constructor(
    private readonly database: Database,
    private readonly rendering: MessageRendering,
  ) {}

  /** @throws BroadcastNotFoundError */
  async message(organizationId: string, id: string): Promise<BroadcastMessageView> {
    if (!isUuid(id)) throw new BroadcastNotFoundError();
    const [message] = await this.database.inReadTurn(organizationId, () =>
      this.database.query<MessageRow>(
        `select m.subject, m.html, m.text, m.mjml, m.headers, m.attachments from broadcasts b join messages m on m.id = b.message_id
          where b.organization_id = $1 and b.id = $2`,
        [organizationId, id],
      ),
    );
    if (!message) throw new BroadcastNotFoundError();
    const { subject, html: htmlContent, text: textContent, mjml, headers, attachments } = message;
    return { subject, htmlContent, textContent, mjml, headers, attachments: (attachments ?? []).map(withoutDigest) };
  }

  /**
   * The message as a recipient without an email will get it, without tracking. Variables are empty if no recipient is
   * given.
   * @throws BroadcastNotFoundError, RecipientNotFoundError, InvalidFieldError, TooManyRenderingsError
   */
  async preview(caller: Caller, id: string, to: string | undefined): Promise<TemplateRendering> {
    const { subject, htmlContent: html, textContent: text } = await this.message(caller.organizationId, id);
    await this.rendering.requireNoAddressIn(caller, subject);
    const variables = to === undefined ? {} : await this.variablesOf(id, to);
    const values = { ...variables, unsubscribe_url: UNSUBSCRIBE_PLACE };
    const rendered = await this.rendering.render(caller, { subject, html, text }, values, { withText: true });
    return { subject: rendered.subject, html: rendered.html ?? '', text: rendered.text ?? '' };
  }

  /** Sorted by address. @throws BroadcastNotFoundError */
  async recipients(organizationId: string, id: string, page: PageRequest): Promise<Page<BroadcastRecipientView>> {
    const rows = await this.database.inReadTurn(organizationId, () => this.readRecipients(organizationId, id, page));
    return toPageUpToBytes(rows, page.limit, toRecipientView, (row) => [row.address_key]);
  }

  private async readRecipients(organizationId: string, id: string, page: PageRequest) {
    const [broadcast] = isUuid(id)
      ? await this.database.query('select from broadcasts where organization_id = $1 and id = $2', [organizationId, id])
      : [];
    if (!broadcast) throw new BroadcastNotFoundError();
    return this.database.query<RecipientRow & RowUpToBytes & Record<string, unknown>>(LIST, [
      id,
      page.after?.[0] ?? null,
      page.limit + 1,
    ]);
  }

  private async variablesOf(id: string, to: string): Promise<Record<string, unknown>> {
    const [row] = await this.database.query<Pick<RecipientRow, 'variables'>>(
      'select variables from broadcast_recipients where broadcast_id = $1 and address_key = $2',
      [id, requestedAddressKey(to)],
    );
    if (!row) throw new RecipientNotFoundError();
    return row.variables ?? {};
  }
}

/** Placeholder for the address of the recipient's unsubscribe page. */
const UNSUBSCRIBE_PLACE = '#unsubscribe';

function toRecipientView({ address, place, variables, metadata }: RecipientRow): BroadcastRecipientView {
  return { to: address, variables, metadata, suppressed: place === null };
}

import { Injectable } from '@nestjs/common';
import { SharedMessages } from '../../broadcasts/shared-messages.js';
import { Database } from '../../platform/database/database.js';
import { deadenLinks } from '../../rendering/dead-links.js';
import { RenderingPool } from '../../rendering/rendering-pool.js';
import { EmailNotFoundError } from '../email-errors.js';
import { idColumnOf } from '../email-id.sql.js';

interface Row extends Record<string, unknown> {
  html: string;
  createdAt: Date;
  /** Of an email of a broadcast. */
  messageId: string | null;
  variables: Record<string, unknown> | null;
}

/** Shows the HTML of emails to their senders. */
@Injectable()
export class EmailPreviews {
  constructor(
    private readonly database: Database,
    private readonly messages: SharedMessages,
    private readonly pool: RenderingPool,
  ) {}

  /**
   * The HTML as its recipients see it, but without the pixel and with links that lead nowhere: nothing counts.
   * @param id ID or tracking ID
   * @throws EmailNotFoundError, also when the retention has dropped the body
   * @throws TemplateError, RenderingLimitError, RenderingBusyError
   */
  async html(organizationId: string, id: string, hasGone?: () => boolean): Promise<string> {
    return deadenLinks(await this.source(organizationId, id, hasGone));
  }

  /** The same with its links as they are. Throws as `html` does. */
  async source(organizationId: string, id: string, hasGone?: () => boolean): Promise<string> {
    const [email] = await this.database.query<Row>(
      `select c.html, e.created_at as "createdAt", b.message_id as "messageId", c.variables
         from emails e join email_contents c on c.email_id = e.id left join broadcasts b on b.id = e.broadcast_id
        where ${idColumnOf(id)} = $1 and e.organization_id = $2`,
      [id, organizationId],
    );
    if (!email) throw new EmailNotFoundError();
    if (email.messageId === null) return email.html;
    const source = await this.messages.find(email.messageId);
    const request = { source, variables: email.variables ?? {}, now: email.createdAt.getTime() };
    const requester = { organizationId, mayBeRefused: true, ...(hasGone && { hasGone }) };
    const { html } = await this.pool.renderMessage(request, requester);
    return html ?? '';
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { SharedMessages } from '../../broadcasts/shared-messages.js';
import { TRACKING_BASE_URL } from '../../domains/tracking/base-url.sql.js';
import { keysToRender } from '../../links/email-tracking-id.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import type { MarkedHtml } from '../../rendering/dead-links.js';
import { requesterFor, type WaitingClient } from '../../rendering/fair-queue.js';
import { RenderingPool } from '../../rendering/rendering-pool.js';
import { withUnsubscribeUrlInText } from '../../rendering/unsubscribe-places.js';
import { orMessageProblem } from '../../templates/message-problem.js';
import { BODY_IS_GONE } from '../content-retention.js';
import { EmailNotFoundError } from '../email-errors.js';
import { idColumnOf } from '../email-id.sql.js';
import { textAsHtml } from './text-as-html.js';

interface Row extends Record<string, unknown> {
  trackingId: string;
  html: string;
  /** The sender's text part; null to derive it from the HTML. */
  text: string | null;
  createdAt: Date;
  /** Address with which its links begin. */
  baseUrl: string;
  /** Only for an email of a broadcast. */
  messageId: string | null;
  variables: Record<string, unknown> | null;
}

/** Stands for the address of the unsubscribe page, which the sender must not use by mistake. */
const UNSUBSCRIBE_PLACE = '{{unsubscribe_url}}';

/** Shows emails to their senders. */
@Injectable()
export class EmailPreviews {
  constructor(
    private readonly database: Database,
    private readonly messages: SharedMessages,
    private readonly pool: RenderingPool,
    private readonly keys: SigningKeyRing,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /**
   * The HTML that recipients see, but without the pixel and with links that lead nowhere, so that nothing counts. Of a
   * text-only email, its text.
   * @param id ID or tracking ID
   * @throws EmailNotFoundError, also when the retention has dropped the body
   * @throws InvalidFieldError if its template fails with its variables, TooManyRenderingsError
   */
  async html(client: WaitingClient, id: string): Promise<string> {
    const email = await this.find(client, id);
    const html = await this.source(client, email);
    if (html === '') return textAsHtml(await this.textOf(client, email));
    return orMessageProblem(this.pool.deadenLinks(html, requesterFor(client)));
  }

  /** The same with links that lead to their positions. Throws as `html` does. */
  async marked(client: WaitingClient, id: string): Promise<MarkedHtml> {
    const email = await this.find(client, id);
    const html = await this.source(client, email);
    return orMessageProblem(this.pool.markLinks(html, email.baseUrl, requesterFor(client)));
  }

  /** The text part that recipients get. Throws as `html` does. */
  async text(client: WaitingClient, id: string): Promise<string> {
    return this.textOf(client, await this.find(client, id));
  }

  private async textOf(client: WaitingClient, email: Row): Promise<string> {
    if (email.messageId !== null) return this.fillIn(client, email, 'text');
    if (email.text !== null) return email.text;
    const request = { html: email.html, emailTrackingId: email.trackingId, baseUrl: email.baseUrl };
    const keys = keysToRender(this.keys.current, email.trackingId);
    return (await orMessageProblem(this.pool.render(request, keys, requesterFor(client)))).text;
  }

  private async find({ organizationId }: WaitingClient, id: string): Promise<Row> {
    const statement = `
      select e.tracking_id as "trackingId", c.html, c.text, e.created_at as "createdAt", b.message_id as "messageId",
             c.variables, coalesce(${TRACKING_BASE_URL}, $3) as "baseUrl"
        from emails e join email_contents c on c.email_id = e.id left join broadcasts b on b.id = e.broadcast_id
       where ${idColumnOf(id)} = $1 and e.organization_id = $2 and not (${BODY_IS_GONE})`;
    const [email] = await this.database.inReadTurn(organizationId, () =>
      this.database.query<Row>(statement, [id, organizationId, this.settings.BASE_URL]),
    );
    if (!email) throw new EmailNotFoundError();
    return email;
  }

  private async source(client: WaitingClient, email: Row): Promise<string> {
    return email.messageId === null ? email.html : this.fillIn(client, email, 'html');
  }

  /** Fills the variables of its recipient in to the message of a broadcast. */
  private async fillIn(client: WaitingClient, email: Row, part: 'html' | 'text'): Promise<string> {
    const { messageId, variables, createdAt } = email;
    const source = await this.database.inReadTurn(client.organizationId, () => this.messages.find(messageId!));
    // As in the stored HTML of other emails, a placeholder stands for the address: a template may depend on it.
    const values = { ...variables, unsubscribe_url: UNSUBSCRIBE_PLACE };
    const request = { source, variables: values, now: createdAt.getTime(), withText: part === 'text' };
    const { html, text } = await orMessageProblem(this.pool.renderMessage(request, requesterFor(client)));
    if (part === 'html') return html ?? '';
    // Derived from HTML, the text has the placeholder as it is encoded there.
    return withUnsubscribeUrlInText(text ?? '', UNSUBSCRIBE_PLACE)!;
  }
}

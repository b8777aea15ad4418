import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { requireSenderDomain } from '../organizations/key-limits.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { Database } from '../platform/database/database.js';
import { idColumnOf } from './email-id.sql.js';
import { bareAddress, domainOf } from './mailbox.js';
import { standsFor } from './sender-key.js';

interface StoredSender extends Record<string, unknown> {
  readonly sender: string;
  readonly replyTo: string | null;
}

/** Limits what a key for some sender domains does with stored emails: a retry sends as much as a new email does. */
@Injectable()
export class SenderLimits {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'PLATFORM_SENDING_DOMAIN'>,
  ) {}

  /**
   * An email that is not there passes: the route itself responds.
   * @throws ForbiddenSenderError, EmailNotFoundError for a text that is no ID
   */
  async require(
    { organizationId, allowedDomains }: Pick<Caller, 'organizationId' | 'allowedDomains'>,
    idOrTrackingId: string,
  ): Promise<void> {
    if (allowedDomains === null) return;
    const [email] = await this.database.query<StoredSender>(
      `select c.sender, c.reply_to as "replyTo" from emails e join email_contents c on c.email_id = e.id
        where e.organization_id = $1 and ${idColumnOf(idOrTrackingId)} = $2`,
      [organizationId, idOrTrackingId],
    );
    if (!email) return;
    requireSenderDomain({ allowedDomains }, domainOf(this.senderOf(email, organizationId)));
  }

  /**
   * Where the platform's address stands for the sender, replies go to the sender, unless the caller set another address
   * for them: then the sender is unknown, and the key may not send the email.
   */
  private senderOf({ sender, replyTo }: StoredSender, organizationId: string): string {
    const address = bareAddress(sender);
    if (domainOf(address) !== this.settings.PLATFORM_SENDING_DOMAIN || replyTo === null) return address;
    const original = bareAddress(replyTo);
    return standsFor(address, organizationId, original) ? original : address;
  }
}

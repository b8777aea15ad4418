import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { formatMailbox } from '../mailbox.js';
import { platformSender, type SenderMailboxes } from '../accept/sender.js';

/** Rewrites the senders of stored emails whose organization has since lost the domain. */
@Injectable()
export class SenderRewrites {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Moves the sender to the platform's domain, in the stored email as well. */
  async rewrite(
    emailId: string,
    organizationId: string,
    requested: SenderMailboxes,
  ): Promise<Required<SenderMailboxes>> {
    const sender = platformSender(organizationId, requested, this.settings.PLATFORM_SENDING_DOMAIN);
    await this.database.query('update email_contents set sender = $2, reply_to = $3 where email_id = $1', [
      emailId,
      formatMailbox(sender.from),
      formatMailbox(sender.replyTo),
    ]);
    return sender;
  }
}

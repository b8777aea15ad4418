import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { formatMailbox } from '../mailbox.js';
import { platformSender, type SenderMailboxes } from '../accept/sender.js';

/** Moves the senders of stored emails whose organization lost the domain since. */
@Injectable()
export class SenderRewrites {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The email comes from the platform's domain from now on, wherever its sender is shown. */
  async rewrite(emailId: string, organizationId: string, asked: SenderMailboxes): Promise<Required<SenderMailboxes>> {
    const sender = platformSender(organizationId, asked, this.settings.PLATFORM_SENDING_DOMAIN);
    await this.database.query('update email_contents set sender = $2, reply_to = $3 where email_id = $1', [
      emailId,
      formatMailbox(sender.from),
      formatMailbox(sender.replyTo),
    ]);
    return sender;
  }
}

import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { SendingDomains } from '../domains/sending-domains.js';
import { addressKey, domainOf, formatMailbox, type ParsedMailbox } from './mailbox.js';

export interface Sender {
  readonly from: ParsedMailbox;
  readonly replyTo?: ParsedMailbox;
}

/** Decides who an email comes from. */
@Injectable()
export class Senders {
  constructor(
    private readonly domains: SendingDomains,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * A sender on a verified domain stays. Any other is moved to the platform's domain: the display name stays,
   * and replies go to the original address unless the caller named another.
   */
  async resolve(organizationId: string, from: ParsedMailbox, replyTo: ParsedMailbox | undefined): Promise<Sender> {
    if (await this.domains.isVerified(organizationId, domainOf(from.address))) {
      return { from, ...(replyTo && { replyTo }) };
    }
    const platformAddress = `${platformLocalPart(from.address)}@${this.settings.PLATFORM_SENDING_DOMAIN}`;
    return {
      from: { ...(from.name && { name: from.name }), address: platformAddress },
      replyTo: replyTo ?? from,
    };
  }
}

/** Readable, at most 64 characters (RFC 5321, 4.5.3.1.1), and the same for the same sender, always. */
function platformLocalPart(address: string): string {
  const key = addressKey(address);
  const readable = key.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return `${readable.slice(0, 48).replace(/-+$/, '')}-${digest}`;
}

export function formatSender(sender: Sender): { from: string; replyTo: string | null } {
  return { from: formatMailbox(sender.from), replyTo: sender.replyTo ? formatMailbox(sender.replyTo) : null };
}

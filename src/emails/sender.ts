import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { withParents } from '../domains/verified-domains.js';
import { addressKey, domainOf, formatMailbox, type ParsedMailbox } from './mailbox.js';

/** Who an email comes from, as header values. */
export interface Sender {
  readonly from: string;
  readonly replyTo: string | null;
}

/** The sender that an email gets depends on what is verified at the moment it is stored. */
export interface SenderChoice {
  /** The domain of the address that was asked for, with its parents. */
  readonly domains: readonly string[];
  readonly onVerified: Sender;
  readonly otherwise: Sender;
}

/** Decides who an email comes from. */
@Injectable()
export class Senders {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /**
   * A sender on a verified domain stays. Any other is moved to the platform's domain: the display name stays,
   * and replies go to the original address unless the caller named another.
   */
  choose(from: ParsedMailbox, replyTo: ParsedMailbox | undefined): SenderChoice {
    const address = `${platformLocalPart(from.address)}@${this.settings.PLATFORM_SENDING_DOMAIN}`;
    const moved = { ...(from.name && { name: from.name }), address };
    return {
      domains: withParents(domainOf(from.address)),
      onVerified: { from: formatMailbox(from), replyTo: replyTo ? formatMailbox(replyTo) : null },
      otherwise: { from: formatMailbox(moved), replyTo: formatMailbox(replyTo ?? from) },
    };
  }
}

/** A sender that is only noted: somebody else sends the email. */
export function notedSender(from: string): SenderChoice {
  const sender = { from, replyTo: null };
  return { domains: [], onVerified: sender, otherwise: sender };
}

/** Readable, at most 64 characters (RFC 5321, 4.5.3.1.1), and the same for the same sender, always. */
function platformLocalPart(address: string): string {
  const key = addressKey(address);
  const readable = key.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return `${readable.slice(0, 48).replace(/-+$/, '')}-${digest}`;
}

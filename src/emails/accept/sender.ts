import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { withParents } from '../../domains/parent-domains.js';
import { needsProviderSignature } from '../../domains/verified-domains.js';
import { addressKey, domainOf, formatMailbox, type ParsedMailbox } from '../mailbox.js';
import { senderDigest, senderKey } from '../sender-key.js';

/** The sender of an email, as header values. */
interface Sender {
  readonly from: string;
  readonly replyTo: string | null;
}

/** The sender of an email, parsed. */
export interface SenderMailboxes {
  readonly from: ParsedMailbox;
  readonly replyTo?: ParsedMailbox;
}

/** The two possible senders; which one applies depends on the domains verified when the email is stored. */
export interface SenderChoice {
  /** See `senderKey`; null without a sender. */
  readonly key: string | null;
  /** The domain of the requested address, with its parents. */
  readonly domains: readonly string[];
  /** True when a verified domain counts only once the provider can sign for it. */
  readonly needsProviderSignature: boolean;
  readonly onVerified: Sender;
  readonly otherwise: Sender;
}

/** Chooses the sender of an email. */
@Injectable()
export class Senders {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** A sender that is only recorded: another provider sends the email. */
  recorded(organizationId: string, from: ParsedMailbox | undefined): SenderChoice {
    if (!from) return unverifiedSender('', null);
    const key = senderKey(organizationId, from.address, this.settings.PLATFORM_SENDING_DOMAIN);
    return unverifiedSender(formatMailbox(from), key);
  }

  /** Keeps a sender on a verified domain. Any other sender is moved to the platform's domain. */
  choose(organizationId: string, requested: SenderMailboxes): SenderChoice {
    const { PLATFORM_SENDING_DOMAIN: platformDomain } = this.settings;
    return {
      key: senderKey(organizationId, requested.from.address, platformDomain),
      domains: withParents(domainOf(requested.from.address)),
      needsProviderSignature: needsProviderSignature(this.settings),
      onVerified: formatted(requested),
      otherwise: formatted(platformSender(organizationId, requested, platformDomain)),
    };
  }
}

export function unverifiedSender(from: string, key: string | null): SenderChoice {
  const sender = { from, replyTo: null };
  return { key, domains: [], needsProviderSignature: false, onVerified: sender, otherwise: sender };
}

/**
 * Moves the sender to the platform's domain. The display name stays unless it contains an address. Replies go to the
 * original address unless the caller set another one.
 */
export function platformSender(
  organizationId: string,
  { from, replyTo = from }: SenderMailboxes,
  platformDomain: string,
): Required<SenderMailboxes> {
  const address = `${platformLocalPart(organizationId, from.address)}@${platformDomain}`;
  return { from: { ...(from.name && !showsAddress(from.name) && { name: from.name }), address }, replyTo };
}

/** Mail clients often show only the name: with an address in it, the platform would vouch for that address. */
function showsAddress(name: string): boolean {
  return name.normalize('NFKC').includes('@');
}

function formatted({ from, replyTo }: SenderMailboxes): Sender {
  return { from: formatMailbox(from), replyTo: replyTo ? formatMailbox(replyTo) : null };
}

/**
 * Readable, at most 64 characters (RFC 5321, 4.5.3.1.1), and stable for one sender of an organization. It differs
 * between organizations by its digest.
 */
function platformLocalPart(organizationId: string, address: string): string {
  const key = addressKey(address);
  const readable = key.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  const digest = senderDigest(organizationId, address);
  return `${readable.slice(0, 43).replace(/-$/, '')}-${digest}`;
}

import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { needsProviderSignature, withParents } from '../../domains/verified-domains.js';
import { addressKey, domainOf, formatMailbox, type ParsedMailbox } from '../mailbox.js';

/** Who an email comes from, as header values. */
export interface Sender {
  readonly from: string;
  readonly replyTo: string | null;
}

/** Who an email comes from, read. */
export interface SenderMailboxes {
  readonly from: ParsedMailbox;
  readonly replyTo?: ParsedMailbox;
}

/** The sender that an email gets depends on what is verified at the moment it is stored. */
export interface SenderChoice {
  /** The domain of the address that was asked for, with its parents. */
  readonly domains: readonly string[];
  /** Whether a verified domain is used only once the provider can sign for it. */
  readonly needsProviderSignature: boolean;
  readonly onVerified: Sender;
  readonly otherwise: Sender;
}

/** Decides who an email comes from. */
@Injectable()
export class Senders {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** A sender on a verified domain stays. Any other is moved to the platform's domain. */
  choose(organizationId: string, asked: SenderMailboxes): SenderChoice {
    const { PLATFORM_SENDING_DOMAIN: platformDomain } = this.settings;
    return {
      domains: withParents(domainOf(asked.from.address)),
      needsProviderSignature: needsProviderSignature(this.settings),
      onVerified: formatted(asked),
      otherwise: formatted(platformSender(organizationId, asked, platformDomain)),
    };
  }
}

/** A sender that is only noted: somebody else sends the email. */
export function unverifiedSender(from: string): SenderChoice {
  const sender = { from, replyTo: null };
  return { domains: [], needsProviderSignature: false, onVerified: sender, otherwise: sender };
}

/**
 * The sender moved to the platform's domain: the display name stays unless it shows an address, and replies go to the
 * original address unless the caller named another.
 */
export function platformSender(
  organizationId: string,
  { from, replyTo = from }: SenderMailboxes,
  platformDomain: string,
): Required<SenderMailboxes> {
  const address = `${platformLocalPart(organizationId, from.address)}@${platformDomain}`;
  return { from: { ...(from.name && !showsAddress(from.name) && { name: from.name }), address }, replyTo };
}

/** Mail programs show the name alone: an address in it would be that of anybody, vouched for by the platform. */
function showsAddress(name: string): boolean {
  return name.normalize('NFKC').includes('@');
}

function formatted({ from, replyTo }: SenderMailboxes): Sender {
  return { from: formatMailbox(from), replyTo: replyTo ? formatMailbox(replyTo) : null };
}

/**
 * Readable, at most 64 characters (RFC 5321, 4.5.3.1.1), the same for the same sender of an organization, always, and
 * another for every other organization: 80 bits of a digest, so that nobody finds a sender that gets somebody else's.
 */
function platformLocalPart(organizationId: string, address: string): string {
  const key = addressKey(address);
  const readable = key.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  const digest = createHash('sha256').update(`${organizationId} ${key}`).digest('hex').slice(0, 20);
  return `${readable.slice(0, 43).replace(/-+$/, '')}-${digest}`;
}

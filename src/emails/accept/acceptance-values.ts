import type { StatementValues } from '../../platform/database/statement.js';
import type { KeyClaim } from '../idempotency/idempotency-keys.js';
import { addressKey, formatMailbox, type ParsedMailbox } from '../mailbox.js';
import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';
import type { ACCEPT } from './acceptance-statement.js';
import { distinctLinks } from './distinct-links.js';
import { givenRecord } from './given-columns.js';
import type { NewEmail } from './new-email.js';
import { TOTAL_SHARDS } from '../../campaigns/total-shards.js';

/** Emails of one organization that the API queues directly; the feeder queues the rest of its share. */
const DIRECT_PLACES = 200;

/** An email that is about to be stored. */
export interface EmailToAccept {
  readonly email: NewEmail;
  /** The idempotency key of its request, if it has one of its own. */
  readonly claim?: KeyClaim | undefined;
  /** The API process that waits for the result, if any. */
  readonly waiter?: string | undefined;
  /** True to store the email without its suppressed recipients; otherwise it is not stored if there are any. */
  readonly leavesOut?: boolean;
  /** Its suppressed recipients where they are known, which it leaves out. Absent: they are looked up. */
  readonly suppressed?: readonly SuppressedRecipient[];
}

/**
 * @param emails at least one, all of one organization, no two with the same idempotency key
 * @param waitForFeeder true for emails that no process queues at once
 */
export function acceptanceValues(
  emails: readonly EmailToAccept[],
  waitForFeeder = false,
): StatementValues<typeof ACCEPT> {
  return {
    organizationId: emails[0]!.email.organizationId,
    emails: JSON.stringify(emails.map(toRecord)),
    htmls: emails.map(({ email }) => email.html),
    directPlaces: waitForFeeder ? 0 : DIRECT_PLACES,
    totalShard: Math.floor(Math.random() * TOTAL_SHARDS),
  };
}

/** The row of an email in `ACCEPT`. */
function toRecord({ email, claim, waiter, leavesOut = false, suppressed }: EmailToAccept): object {
  const { recipients, sender, attachments, urls } = email;
  const leftOut = new Set(suppressed?.map(({ address }) => addressKey(address)));
  const contacts = recipients.to.filter(({ address }) => !leftOut.has(addressKey(address)));
  return {
    id: email.id,
    tracking_id: email.trackingId,
    campaign_id: email.campaignId,
    status: email.status,
    created_at: email.createdAt,
    ...givenRecord(email),
    contact_keys: contacts.map(({ address }) => addressKey(address)),
    contact_addresses: contacts.map(({ address }) => address),
    checked_keys: suppressed ? [] : checkedAddresses(email).map(addressKey),
    leaves_out: leavesOut,
    to_addresses: format(recipients.to),
    cc_addresses: format(recipients.cc),
    bcc_addresses: format(recipients.bcc),
    subject: email.subject,
    text: email.text,
    headers: email.headers,
    metadata: email.metadata,
    ...(attachments.length > 0 && { attachments }),
    ...(urls && { urls, ...linksOf(email, urls) }),
    sender_domains: sender.domains,
    needs_provider_signature: sender.needsProviderSignature,
    verified_from: sender.onVerified.from,
    verified_reply_to: sender.onVerified.replyTo,
    other_from: sender.otherwise.from,
    other_reply_to: sender.otherwise.replyTo,
    ...(claim && keyOf(claim)),
    waiter,
  };
}

function linksOf({ campaignId }: NewEmail, urls: readonly string[]): object {
  const links = distinctLinks(campaignId === null ? [] : urls);
  return { link_hashes: links.map(({ hash }) => byteaOf(hash)), link_urls: links.map(({ url }) => url) };
}

function keyOf({ key, requestHash, status, runningForMs }: KeyClaim): object {
  return { key, request_hash: byteaOf(requestHash), response_status: status, running_for_ms: runningForMs };
}

/** The recipients that may be suppressed. */
export function checkedAddresses({ status, recipients: { to, cc, bcc } }: NewEmail): string[] {
  // Another provider delivers a tracked email, to the recipients that its sender chose.
  return status === 'tracked' ? [] : [...to, ...cc, ...bcc].map(({ address }) => address);
}

function byteaOf(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

function format(mailboxes: readonly ParsedMailbox[]): string[] {
  return mailboxes.map(formatMailbox);
}

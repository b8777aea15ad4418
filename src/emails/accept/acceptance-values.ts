import type { StatementValues } from '../../platform/database/statement.js';
import type { KeyClaim } from '../idempotency/idempotency-keys.js';
import { addressKey, formatMailbox, type ParsedMailbox } from '../mailbox.js';
import type { ACCEPT } from './acceptance-statement.js';
import { distinctLinks } from './distinct-links.js';
import type { NewEmail } from './new-email.js';

/** A campaign's counts are spread over this many rows to reduce lock contention; the flusher has a row of its own. */
const TOTAL_SHARDS = 16;

/** Emails of one organization that the API queues directly; the feeder queues the rest of its share. */
const DIRECT_PLACES = 200;

/**
 * @param waiter the API process that waits for the result, if any
 * @param leavesOut true to store an email with suppressed recipients; otherwise it is only judged
 */
export function acceptanceValues(
  email: NewEmail,
  claim?: KeyClaim,
  waiter?: string,
  leavesOut = false,
): StatementValues<typeof ACCEPT> {
  const { to, cc, bcc } = email.recipients;
  const { domains, needsProviderSignature, onVerified, otherwise } = email.sender;
  const links = distinctLinks(email.campaignId === null ? [] : (email.urls ?? []));
  return {
    emailId: email.id,
    trackingId: email.trackingId,
    organizationId: email.organizationId,
    campaignId: email.campaignId,
    status: email.status,
    createdAt: email.createdAt,
    addressKeys: to.map(({ address }) => addressKey(address)),
    addresses: to.map(({ address }) => address),
    // Another provider delivers a tracked email, to whomever its sender chose.
    judgedKeys: email.status === 'tracked' ? [] : [...to, ...cc, ...bcc].map(({ address }) => addressKey(address)),
    leavesOut,
    to: format(to),
    cc: format(cc),
    bcc: format(bcc),
    subject: email.subject,
    html: email.html,
    unsubscribe: email.unsubscribe,
    metadata: email.metadata && JSON.stringify(email.metadata),
    urls: email.urls,
    linkHashes: links.map(({ hash }) => hash),
    linkUrls: links.map(({ url }) => url),
    senderDomains: domains,
    needsProviderSignature,
    verifiedFrom: onVerified.from,
    verifiedReplyTo: onVerified.replyTo,
    otherFrom: otherwise.from,
    otherReplyTo: otherwise.replyTo,
    totalShard: Math.floor(Math.random() * TOTAL_SHARDS),
    key: claim?.key ?? null,
    requestHash: claim?.requestHash ?? null,
    responseStatus: claim?.status ?? null,
    runningForMs: claim?.runningForMs ?? 0,
    directPlaces: DIRECT_PLACES,
    waiter: waiter ?? null,
  };
}

function format(mailboxes: readonly ParsedMailbox[]): string[] {
  return mailboxes.map(formatMailbox);
}

import type { StatementValues } from '../../platform/database/statement.js';
import type { KeyClaim } from '../idempotency/idempotency-keys.js';
import { addressKey, formatMailbox, type ParsedMailbox } from '../mailbox.js';
import type { ACCEPT, FIND_SUPPRESSED } from './acceptance-statement.js';
import { givenValues } from './given-columns.js';
import { distinctLinks } from './distinct-links.js';
import type { NewEmail } from './new-email.js';

/** A campaign's counts are spread over this many rows to reduce lock contention; the flusher has a row of its own. */
export const TOTAL_SHARDS = 16;

/** Emails of one organization that the API queues directly; the feeder queues the rest of its share. */
const DIRECT_PLACES = 200;

/**
 * @param waiter the API process that waits for the result, if any
 * @param leavesOut true to store an email with suppressed recipients; otherwise its recipients are only checked
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
    ...suppressionValues(email),
    ...givenValues(email),
    campaignId: email.campaignId,
    status: email.status,
    createdAt: email.createdAt,
    addressKeys: to.map(({ address }) => addressKey(address)),
    addresses: to.map(({ address }) => address),
    leavesOut,
    to: format(to),
    cc: format(cc),
    bcc: format(bcc),
    subject: email.subject,
    html: email.html,
    text: email.text,
    headers: email.headers && JSON.stringify(email.headers),
    attachments: email.attachments.length > 0 ? JSON.stringify(email.attachments) : null,
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

/** The parameters that decide which recipients are suppressed. */
export function suppressionValues({
  organizationId,
  status,
  unsubscribe,
  recipients: { to, cc, bcc },
}: NewEmail): StatementValues<typeof FIND_SUPPRESSED> {
  // Another provider delivers a tracked email, to the recipients that its sender chose.
  const checked = status === 'tracked' ? [] : [...to, ...cc, ...bcc];
  return { organizationId, checkedKeys: checked.map(({ address }) => addressKey(address)), unsubscribe };
}

function format(mailboxes: readonly ParsedMailbox[]): string[] {
  return mailboxes.map(formatMailbox);
}

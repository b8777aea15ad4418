import type { StatementValues } from '../../../platform/database/statement.js';
import { addressKey, formatMailbox } from '../../mailbox.js';
import type { SuppressedRecipient } from '../../recipients/suppressed-recipients.js';
import { TOTAL_SHARDS } from '../acceptance-values.js';
import { givenRecord } from '../given-columns.js';
import type { NewEmail } from '../new-email.js';
import type { ACCEPT_MANY } from './batch-statement.js';

/** An email of a batch, and the recipients that it leaves out. */
export interface BatchEmail {
  readonly email: NewEmail;
  readonly suppressed: readonly SuppressedRecipient[];
}

/** @param emails at least one, all of one organization and time */
export function batchValues(emails: readonly BatchEmail[]): StatementValues<typeof ACCEPT_MANY> {
  const { organizationId, createdAt, sender } = emails[0]!.email;
  return {
    organizationId,
    createdAt,
    emails: JSON.stringify(emails.map(toRecord)),
    needsProviderSignature: sender.needsProviderSignature,
    totalShard: Math.floor(Math.random() * TOTAL_SHARDS),
  };
}

function toRecord({ email, suppressed }: BatchEmail): object {
  const { sender, recipients, attachments } = email;
  const leftOut = new Set(suppressed.map(({ address }) => addressKey(address)));
  const contacts = recipients.to.filter(({ address }) => !leftOut.has(addressKey(address)));
  return {
    id: email.id,
    tracking_id: email.trackingId,
    campaign_id: email.campaignId,
    ...givenRecord(email),
    contact_keys: contacts.map(({ address }) => addressKey(address)),
    contact_addresses: contacts.map(({ address }) => address),
    to_addresses: recipients.to.map(formatMailbox),
    cc_addresses: recipients.cc.map(formatMailbox),
    bcc_addresses: recipients.bcc.map(formatMailbox),
    subject: email.subject,
    html: email.html,
    text: email.text,
    headers: email.headers,
    metadata: email.metadata,
    attachments,
    sender_domains: sender.domains,
    verified_from: sender.onVerified.from,
    verified_reply_to: sender.onVerified.replyTo,
    other_from: sender.otherwise.from,
    other_reply_to: sender.otherwise.replyTo,
  };
}

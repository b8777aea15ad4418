import { TRACKING_BASE_URL } from '../../domains/tracking/base-url.sql.js';
import type { Database } from '../../platform/database/database.js';
import type { EmailResult } from '../../platform/queue/result-channel.js';
import { EmailNotFoundError } from '../email-errors.js';
import { addressKey, bareAddress } from '../mailbox.js';
import { reasonInSentence, type SuppressedRecipient } from '../recipients/suppressed-recipients.js';

/** The fields of a response that never change. */
export interface Envelope {
  readonly trackingId: string;
  readonly from: string;
  readonly to: string[];
  readonly subject: string;
  readonly suppressed: readonly SuppressedRecipient[];
  /** True if its sender chose a time in the future. */
  readonly isScheduled: boolean;
  /** Address with which its links begin. */
  readonly baseUrl: string;
}

/** The result of an email so far. */
export interface ProgressRow {
  id: string;
  status: string;
  provider_id: string | null;
  last_error: string | null;
  urls: string[] | null;
}

export type SentResult = Extract<EmailResult, { status: 'sent' }>;

interface EnvelopeRow {
  tracking_id: string;
  scheduled: boolean;
  sender: string;
  to_addresses: string[];
  other_addresses: string[];
  subject: string;
  base_url: string | null;
  /** Sentences by address key. */
  suppressed: Readonly<Record<string, string | null>> | null;
}

/**
 * Reads the data of an email's first response.
 * @param platformUrl the base URL of emails without a tracking domain
 * @throws EmailNotFoundError
 */
export async function readEnvelope(
  database: Database,
  emailId: string,
  platformUrl: string,
): Promise<{ readonly envelope: Envelope; readonly progress: ProgressRow }> {
  const [row] = await database.query<ProgressRow & EnvelopeRow>(
    `select e.id, e.tracking_id, e.send_at is not null as scheduled, c.sender, c.to_addresses, c.cc_addresses || c.bcc_addresses as other_addresses, c.subject,
            e.status, e.provider_id, e.last_error, l.urls, ${TRACKING_BASE_URL} as base_url,
            -- Later ones, which were left out when a worker claimed the email, are not part of the first response.
            (select json_object_agg(d.address_key, d.reason) from delivery_events d
              where d.email_id = e.id and d.type = 'suppressed' and d.occurred_at = e.created_at) as suppressed
       from emails e
       join email_contents c on c.email_id = e.id
       left join email_links l on l.email_id = e.id
      where e.id = $1`,
    [emailId],
  );
  if (!row) throw new EmailNotFoundError();
  const { tracking_id: trackingId, sender: from, subject, scheduled: isScheduled } = row;
  const to = row.to_addresses.map(bareAddress);
  const envelope = { trackingId, from, to, subject, suppressed: suppressedIn(row), isScheduled };
  return { envelope: { ...envelope, baseUrl: row.base_url ?? platformUrl }, progress: row };
}

/** The ID of the provider is erased with the recipient; the email's own replaces it. */
export function toSent({ id, provider_id, urls }: ProgressRow): SentResult {
  return { status: 'sent', providerId: provider_id ?? id, urls: urls ?? [] };
}

/**
 * In the order of the recipients. Providers also leave recipients out, and their reports may have the time of the
 * email.
 */
function suppressedIn({ to_addresses, other_addresses, suppressed }: EnvelopeRow): SuppressedRecipient[] {
  if (!suppressed) return [];
  return [...to_addresses, ...other_addresses].map(bareAddress).flatMap((address) => {
    const reason = reasonInSentence(suppressed[addressKey(address)] ?? '');
    return reason === undefined ? [] : [{ address, reason }];
  });
}

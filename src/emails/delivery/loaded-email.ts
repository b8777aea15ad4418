import type { Database } from '../../platform/database/database.js';
import type { OutgoingEmail } from '../../providers/provider.js';
import { readContent } from '../attachments/attachment-contents.js';
import type { StoredAttachment } from '../attachments/attachment.js';
import type { EmailStatus } from '../email-status.js';
import { addressKey, bareAddress, ERASED_ADDRESS, requireStoredMailbox } from '../mailbox.js';
import { reportsInDoubt } from './reports-in-doubt.js';

/** A stored email with everything that the worker needs. */
export interface LoadedEmail {
  readonly id: string;
  readonly trackingId: string;
  readonly status: EmailStatus;
  readonly createdAt: Date;
  /** Milliseconds since the email was queued, by the Postgres clock. */
  readonly queuedForMs: number;
  /**
   * Milliseconds from its first claim, or from the last resumption of its organization by an operator, until it was due
   * again, by the same clock; 0 before a claim. The time for which it has waited since behind others does not count.
   */
  readonly triedForMs: number;
  readonly sentAt: Date | null;
  /** Milliseconds until the email is due, by the Postgres clock; 0 when it is due. */
  readonly dueInMs: number;
  /** Earlier requests to the provider that may have started. */
  readonly attempts: number;
  /** Runs that crashed while they held the email. */
  readonly crashes: number;
  /** Distinguishes the job of the email from earlier ones, and its position in the queue; 0 when it is not queued. */
  readonly generation: number;
  readonly position: number;
  readonly possibleDuplicate: boolean;
  /** ID of the provider that may have the email, while `possibleDuplicate`; null if that was not recorded. */
  readonly doubtfulProvider: string | null;
  /** ID of the provider that was called last, if one has accepted the email for some recipients. */
  readonly providerOfOthers: string | null;
  /** True once the provider accepted the email for some recipients: they have it, regardless of what follows. */
  readonly reached: boolean;
  /** True while some recipients count as deferred by an earlier attempt. */
  readonly deferred: boolean;
  /**
   * True when the outcome of an attempt is unknown and the provider has since reported that it has the email: only its
   * response was lost. A report about one recipient says so for all, unless the others may have been left out, or may
   * have had messages of their own.
   */
  readonly reported: boolean;
  /** The provider's ID from the last time it accepted the email. */
  readonly providerId: string | null;
  /** Address with which its links begin; null for BASE_URL. */
  readonly baseUrl: string | null;
  readonly html: string;
  /** The sender's own text part; null to derive it from the HTML. */
  readonly text: string | null;
  /** True once its body was deleted, see `ContentRetention`. */
  readonly isBodyGone: boolean;
  /** For an email of a broadcast: the ID of the shared message, and the recipient's own variables. */
  readonly shared?: { readonly messageId: string; readonly variables: Readonly<Record<string, unknown>> };
  /** True when its only recipient may unsubscribe from mail like this. */
  readonly unsubscribe: boolean;
  readonly message: Omit<OutgoingEmail, 'attempt' | 'html' | 'text' | 'messageId'> & {
    readonly organizationId: string;
  };
}

/** The row of an email in the statement of `EmailLoader`. */
export interface EmailRow {
  id: string;
  organization_id: string;
  tracking_id: string;
  status: EmailStatus;
  created_at: Date;
  send_at: Date | null;
  queued_for_ms: number;
  tried_for_ms: number;
  sent_at: Date | null;
  due_in_ms: number | null;
  attempts: number | null;
  crashes: number | null;
  generation: number | null;
  place: number | null;
  possible_duplicate: boolean;
  reached: boolean;
  deferred: boolean;
  deferred_reported: boolean | null;
  reported: string[];
  refused: string[];
  provider_id: string | null;
  doubtful_provider: string | null;
  provider_of_others: string | null;
  base_url: string | null;
  sender: string;
  reply_to: string | null;
  to_addresses: string[];
  cc_addresses: string[];
  bcc_addresses: string[];
  subject: string;
  html: string;
  text: string | null;
  headers: Record<string, string> | null;
  attachments: StoredAttachment[] | null;
  message_id: string | null;
  variables: Record<string, unknown> | null;
  is_body_gone: boolean;
  unsubscribe: boolean;
  settled: string[];
}

export function toLoadedEmail(row: EmailRow, database: Database): LoadedEmail {
  const stored = [row.to_addresses, row.cc_addresses, row.bcc_addresses];
  const [to, cc, bcc] = stored.map((list) =>
    list.filter((mailbox) => mailbox !== ERASED_ADDRESS).map(requireStoredMailbox),
  );
  const accepted = stored.flat().map(bareAddress);
  // Recipients that an earlier attempt reached, or that were refused for good, are not tried again.
  const settled = new Set(row.settled.map(addressKey));
  const visible = [...to!, ...cc!].map(({ address }) => address);
  const everyone = [...visible, ...bcc!.map(({ address }) => address)];
  const left = everyone.filter((address) => !settled.has(addressKey(address)));
  const reports = reportsInDoubt(row, visible, left.length);
  const reached = reports.coverAll ? new Set<string>() : new Set(reports.reached.map(addressKey));
  return {
    id: row.id,
    trackingId: row.tracking_id,
    baseUrl: row.base_url,
    status: row.status,
    createdAt: row.created_at,
    queuedForMs: row.queued_for_ms,
    triedForMs: row.tried_for_ms,
    sentAt: row.sent_at,
    attempts: row.attempts ?? 0,
    crashes: row.crashes ?? 0,
    generation: row.generation ?? 0,
    position: row.place ?? 0,
    dueInMs: row.due_in_ms ?? 0,
    possibleDuplicate: row.possible_duplicate,
    doubtfulProvider: row.doubtful_provider,
    providerOfOthers: row.provider_of_others,
    reached: row.reached || reports.reached.length > 0,
    deferred: row.deferred,
    reported: reports.coverAll,
    providerId: row.provider_id,
    html: row.html,
    text: row.text,
    isBodyGone: row.is_body_gone,
    ...(row.message_id !== null && { shared: { messageId: row.message_id, variables: row.variables ?? {} } }),
    unsubscribe: row.unsubscribe,
    message: {
      emailId: row.id,
      organizationId: row.organization_id,
      trackingId: row.tracking_id,
      date: row.send_at ?? row.created_at,
      from: requireStoredMailbox(row.sender),
      ...(row.reply_to !== null && { replyTo: requireStoredMailbox(row.reply_to) }),
      to: to!,
      cc: cc!,
      bcc: bcc!,
      subject: row.subject,
      ...(row.headers && { headers: row.headers }),
      ...(row.attachments && {
        attachments: row.attachments.map((attachment) => ({
          ...attachment,
          read: () => readContent(database, row.organization_id, attachment),
        })),
      }),
      ...(accepted.length > everyone.length && { acceptedAddresses: accepted }),
      envelopeRecipients: left.filter((address) => !reached.has(addressKey(address))),
    },
  };
}

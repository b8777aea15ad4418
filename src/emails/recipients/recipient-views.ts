import type { Sql } from '../../platform/database/database.js';
import { bareAddress } from '../mailbox.js';
import { recordKey } from './apply-reports.js';
import { stateOf, type RecipientState } from './recipient-state.js';
import { readRecords } from './recipient-statements.js';

/** A recipient of an email in the API. */
export interface RecipientView {
  readonly address: string;
  readonly kind: 'to' | 'cc' | 'bcc';
  readonly state: RecipientState;
  /** The sentence of the reporting server; null when unknown. */
  readonly reason: string | null;
  /** Enhanced status code (RFC 3463); null when unknown. */
  readonly smtpStatus: string | null;
  readonly updatedAt: string;
}

/** The fields of an email on which the states of its recipients depend. */
export interface EmailOfRecipients {
  readonly id: string;
  readonly status: string;
  readonly created_at: Date;
  readonly sent_at: Date | null;
  readonly failed_at: Date | null;
  readonly canceled_at: Date | null;
  readonly last_error: string | null;
  readonly to_addresses: readonly string[];
  readonly cc_addresses: readonly string[];
  readonly bcc_addresses: readonly string[];
}

/** The state of each recipient, in the order of to, cc and bcc. */
export async function readRecipientViews(sql: Sql, email: EmailOfRecipients): Promise<RecipientView[]> {
  const records = await readRecords(sql, [email.id]);
  const changedAt = (email.failed_at ?? email.canceled_at ?? email.sent_at ?? email.created_at).getTime();
  const view = (kind: RecipientView['kind'], mailbox: string): RecipientView => {
    const address = bareAddress(mailbox);
    const record = records.get(recordKey(email.id, address));
    const state = stateOf(email.status, record);
    return {
      ...{ address, kind, state },
      reason: record ? record.reason : state === 'failed' ? email.last_error : null,
      smtpStatus: record?.smtpStatus ?? null,
      updatedAt: new Date(record ? (record.factAt ?? record.updatedAt) : changedAt).toISOString(),
    };
  };
  return [
    ...email.to_addresses.map((mailbox) => view('to', mailbox)),
    ...email.cc_addresses.map((mailbox) => view('cc', mailbox)),
    ...email.bcc_addresses.map((mailbox) => view('bcc', mailbox)),
  ];
}

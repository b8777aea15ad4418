import { SuspendedError } from '../../organizations/access-errors.js';
import type { Sql } from '../../platform/database/database.js';
import type { SuppressionReason } from '../../events/recipient-event.js';
import { ACCEPT } from './acceptance-statement.js';
import { acceptanceValues, type EmailToAccept } from './acceptance-values.js';

/** A suppressed recipient by its position in to, cc and bcc. */
export interface SuppressedPlace {
  readonly place: number;
  readonly reason: SuppressionReason;
}

/** The result of `ACCEPT` for one email. */
export interface Outcome {
  readonly id: string;
  /** False if its campaign was archived in the meantime. */
  readonly open: boolean;
  readonly stored: boolean;
  readonly place: number | null;
  readonly verified: boolean;
  readonly suppressed: readonly SuppressedPlace[] | null;
  /** Why the organization is suspended; null if it is not. */
  readonly suspension: string | null;
}

/**
 * Runs `ACCEPT` for emails of one organization.
 * @param waitForFeeder true for emails that no process queues at once
 * @throws SuspendedError when the organization was suspended in the meantime: nothing is stored
 */
export async function storeEmails(
  sql: Sql,
  emails: readonly EmailToAccept[],
  waitForFeeder = false,
): Promise<Outcome[]> {
  const outcomes = await ACCEPT.run<Outcome>(sql, acceptanceValues(emails, waitForFeeder));
  const suspension = outcomes[0]?.suspension ?? null;
  if (suspension !== null) throw new SuspendedError(suspension);
  return outcomes;
}

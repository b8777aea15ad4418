import { Inject, Injectable } from '@nestjs/common';
import { ERASED_ADDRESS } from '../../emails/mailbox.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { lockDueByTurns } from '../../platform/database/lock-due-by-turns.sql.js';
import { millisecondsUntil } from '../../platform/database/milliseconds-until.js';
import { OrganizationTurns } from '../../platform/database/organization-turns.js';
import { postponeStep } from '../../platform/database/postpone-step.js';
import { endPendingEmails } from './end-pending-emails.js';
import { eraseFromLinks } from './erase-from-links.js';
import { eraseFromSharedEmails } from './erase-from-shared-emails.js';
import { eraseWholeEmails } from './erase-whole-emails.js';
import { ErasureMetrics } from './erasure-metrics.js';
import { deleteContact } from './delete-contact.js';
import { FORGET_SUPPRESSIONS } from './forget-suppressions.js';
import { EMAILS_OF_TURN } from './emails-of-turn.sql.js';
import { lockBatch } from './lock-batch.js';
import { personOf } from './person.js';
import { sweepTexts } from './sweep-texts.js';

/** Delay while all remaining emails are being delivered by workers. */
const BUSY_MS = 1_000;

interface Erasure {
  id: string;
  organization_id: string;
  contact_id: string | null;
  address_key: string;
  swept_key: string | null;
  swept_letter: string | null;
}

const COLUMNS = 'id, contact_id, address_key, swept_key, swept_letter';
/** When the next step is due. Every worker runs this often, so it is one statement and no transaction. */
const NEXT_STEP = `select ${millisecondsUntil('min(step_at)')} as "inMs" from contact_erasures`;
/** Locks the erasure that takes the next step. $1 the organizations of the latest turns, see `OrganizationTurns`. */
export const LOCK_DUE = lockDueByTurns('contact_erasures', COLUMNS);
/** An erasure that is no longer due has done its step elsewhere. */
const POSTPONE_STEP = `update contact_erasures set step_at = now() + interval '10 s' where id = $1 and step_at <= now()`;
const LOCK_ONE = `select organization_id, ${COLUMNS} from contact_erasures where id = $1 for no key update skip locked`;

/** $1 erasure, $2 the first turn to consider. */
const NEXT_TURN = `select min(turn) as turn from contact_erasure_emails where erasure_id = $1 and turn >= $2`;
const IS_LISTED = `select 1 as listed from contact_erasure_emails where erasure_id = $1 limit 1`;
const LOCK_CONTACT = `select from contacts where id = $1 for no key update`;
const STRIKE_OFF = `
with gone as (
  delete from contact_erasure_emails where erasure_id = $1 and turn = $4 and email_id = any($2::uuid[])
)
delete from contact_emails where contact_id = $3 and email_id = any($2::uuid[])`;

/** Runs the steps of erasures, each in one transaction: a crash repeats nothing and skips nothing. */
@Injectable()
export class ErasureSteps {
  private readonly turns = new OrganizationTurns();

  constructor(
    private readonly database: Database,
    private readonly metrics: ErasureMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @returns milliseconds until an erasure needs the next step; Infinity when none does */
  async next(): Promise<number> {
    const [next] = await this.database.prepared<{ inMs: number | null }>('find-next-erasure', NEXT_STEP, []);
    const inMs = next?.inMs ?? Infinity;
    if (inMs > 0) return inMs;
    let id: string | undefined;
    try {
      const taken = await this.take(LOCK_DUE, [this.turns.latest], (erasure) => {
        ({ id } = erasure);
        this.turns.took(erasure.organization_id);
      });
      return taken === undefined ? BUSY_MS : 0;
    } catch (error) {
      await postponeStep(this.database, POSTPONE_STEP, id, error);
      this.logger.warn({ err: error, erasureId: id }, 'Could not continue the erasure of a contact; retrying');
      return 0;
    }
  }

  /** Runs the next step of one erasure. @returns true when another one can follow at once */
  async goOn(id: string): Promise<boolean> {
    return (await this.take(LOCK_ONE, [id])) === 'more';
  }

  /** @returns undefined when there is none, or another process runs its step */
  private async take(
    lock: string,
    values: readonly unknown[],
    onLocked: (erasure: Erasure) => void = () => undefined,
  ): Promise<'more' | 'busy' | 'ended' | undefined> {
    let erased = 0;
    const outcome = await this.database.transaction(async (sql) => {
      const [erasure] = await sql.query<Erasure & Record<string, unknown>>(lock, values);
      if (!erasure) return undefined;
      onLocked(erasure);
      const emails = await eraseBatch(sql, erasure);
      erased = emails;
      const waitMs = emails > 0 ? 0 : await finish(sql, erasure);
      if (waitMs === undefined) return 'ended';
      await sql.query(`update contact_erasures set step_at = now() + $2::float8 * interval '1 ms' where id = $1`, [
        erasure.id,
        waitMs,
      ]);
      return waitMs > 0 ? 'busy' : 'more';
    });
    this.metrics.count(erased, outcome === 'ended');
    return outcome;
  }
}

/** @returns undefined when no email is left, or only emails that workers are delivering */
async function nextEmails(sql: Sql, id: string): Promise<{ turn: number; listed: string[] } | undefined> {
  for (let from = 0; ;) {
    const [row] = await sql.query<{ turn: number | null }>(NEXT_TURN, [id, from]);
    const turn = row?.turn ?? null;
    if (turn === null) return undefined;
    const emails = await sql.query<{ id: string }>(EMAILS_OF_TURN, [id, turn]);
    if (emails.length > 0) return { turn, listed: emails.map((email) => email.id) };
    from = turn + 1;
  }
}

/** @returns the number of emails from which the person is erased now */
async function eraseBatch(sql: Sql, erasure: Erasure): Promise<number> {
  const person = personOf(erasure.organization_id, erasure.address_key);
  const next = await nextEmails(sql, erasure.id);
  if (!next) return 0;
  const { turn, listed } = next;
  const batch = await lockBatch(sql, listed, [person.addressKey, ERASED_ADDRESS]);
  const ids = [...batch.alone, ...batch.shared];
  await sql.query(LOCK_CONTACT, [erasure.contact_id]);
  // Reports since the request may have added some.
  await sql.query(FORGET_SUPPRESSIONS, [person.organizationId, person.addressKey, ids]);
  await endPendingEmails(sql, batch, person);
  await eraseFromLinks(sql, ids, person);
  await eraseWholeEmails(sql, batch.alone);
  await eraseFromSharedEmails(sql, batch.shared, person, erasure.contact_id);
  await sql.query(STRIKE_OFF, [erasure.id, ids, erasure.contact_id, turn]);
  return ids.length;
}

/**
 * The work that remains after the last email.
 * @returns milliseconds until the next step, or undefined when nothing is left
 */
async function finish(sql: Sql, erasure: Erasure): Promise<number | undefined> {
  const [listed] = await sql.query(IS_LISTED, [erasure.id]);
  if (listed) return BUSY_MS;
  const person = personOf(erasure.organization_id, erasure.address_key);
  const before = { sweptKey: erasure.swept_key, sweptLetter: erasure.swept_letter };
  const swept = await sweepTexts(sql, person, before);
  if (swept) {
    await sql.query('update contact_erasures set swept_key = $2, swept_letter = $3 where id = $1', [
      ...[erasure.id, swept.sweptKey, swept.sweptLetter],
    ]);
    return 0;
  }
  if (erasure.contact_id !== null && !(await deleteContact(sql, erasure.contact_id))) return 0;
  await sql.query('delete from contact_erasures where id = $1', [erasure.id]);
  return undefined;
}

import { Inject, Injectable } from '@nestjs/common';
import { Database, type Sql } from '../../platform/database/database.js';
import type { RecipientResult } from '../../providers/hand-over-result.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.js';
import { systemClock, type Clock } from '../../platform/clock/clock.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { HELD_FOR } from '../dispatch/parked-email.sql.js';
import { recordSuppressed } from '../recipients/record-suppressed.js';
import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';
import {
  claimValues,
  NO_AUDIENCE,
  readClaims,
  type Audience,
  type Claimable,
  type Claimed,
  type ClaimRow,
} from './claims.js';
import { CLAIM } from './claim-statement.js';
import { MARK_SENT, type SentEmail } from './delivery-statements.js';
import { sentValues } from './sent-values.js';
import { moveToFailed } from './move-to-failed.js';
import { moveToQueued } from './move-to-queued.js';
import type { Postponement } from './delivery-policy.js';
import { recordRecipientResults } from './record-recipient-results.js';
import { EMAIL_LEASE_MS, leaseKeys, type Lease } from './lease.js';
import { LeaseBatches } from './lease-batches.js';
import { GIVE_BACK, RELEASE_LEASES, RENEW_LEASES } from './lease-statements.js';

/**
 * All state transitions: queued -> sending -> sent | failed, and sending -> queued for a retry.
 * Every transition is conditional on its source state, so a job that runs twice changes nothing the second time.
 * Leases use the Postgres clock. Concurrent deliveries share a statement.
 */
@Injectable()
export class DeliveryState {
  private readonly claims: LeaseBatches<Claimable, Claimed>;
  private readonly sends: LeaseBatches<SentEmail, string[] | undefined>;
  private readonly returns: LeaseBatches<number, void>;

  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookOutbox,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock = systemClock,
  ) {
    this.claims = new LeaseBatches((leases) => this.claimAll(leases));
    this.sends = new LeaseBatches((emails) => this.markAllSent(this.database, emails));
    this.returns = new LeaseBatches((claims) => this.giveAllBack(claims));
  }

  /**
   * queued -> sending, for the generation that was loaded.
   * @param audience the recipients that the provider is about to get, if any
   * @param provider ID of this provider: it may have the email if the call has no outcome
   */
  claim(
    lease: Lease,
    generation: number,
    audience: Audience = NO_AUDIENCE,
    provider: string | null = null,
  ): Promise<Claimed> {
    return this.claims.call(lease, { generation, audience, provider });
  }

  /** Names another provider, which is about to get the email. @returns false when the lease was lost */
  async moveToProvider({ emailId, token }: Lease, provider: string): Promise<boolean> {
    const moved = await this.database.query(
      'update pending_emails set provider = $3 where email_id = $1 and lease_token = $2 returning 1',
      [emailId, token, provider],
    );
    return moved.length > 0;
  }

  /**
   * Records that the email leaves recipients out, unless another worker has claimed it in the meantime. Whether an
   * earlier copy has reached them stays in doubt.
   * @returns the webhook deliveries to wake; undefined when nothing is recorded
   */
  leaveOut(emailId: string, suppressed: readonly SuppressedRecipient[]): Promise<readonly string[] | undefined> {
    return this.database.transaction(async (sql) => {
      const [free] = await sql.query<{ isInDoubt: boolean }>(
        `select possible_duplicate as "isInDoubt" from pending_emails
          where email_id = $1 and lease_token is null for update`,
        [emailId],
      );
      return free && recordSuppressed(sql, [{ emailId, suppressed, at: this.clock.now(), isInDoubt: free.isInDoubt }]);
    });
  }

  /** Renews the leases that this worker still holds, except those of emails that are locked. */
  async renew(leases: readonly Lease[]): Promise<void> {
    await RENEW_LEASES.run(this.database, { ...leaseKeys(leases), leaseMs: EMAIL_LEASE_MS });
  }

  /**
   * The provider has the email once, so the flag is removed unless an earlier copy, indistinguishable from this one,
   * may exist.
   */
  async resolveUnknownOutcome({ emailId, token }: Lease): Promise<void> {
    await this.database.query(
      `update pending_emails p set possible_duplicate = e.possible_duplicate from emails e
        where e.id = p.email_id and p.email_id = $1 and p.lease_token = $2`,
      [emailId, token],
    );
  }

  /** sending -> sent, with its links and webhook deliveries. Returns the deliveries to wake. */
  async markSent(lease: Lease, sent: SentEmail): Promise<string[] | undefined> {
    if (sent.recipients.length === 0) return this.sends.call(lease, sent);
    return this.database.transaction(async (sql) => {
      const [deliveries] = await this.markAllSent(sql, [[lease, sent]]);
      if (!deliveries) return undefined;
      return [...deliveries, ...(await recordRecipientResults(sql, lease.emailId, sent.recipients, this.clock.now()))];
    });
  }

  /** sending -> failed. Returns the deliveries to wake. */
  async markFailed(
    lease: Lease,
    reason: string,
    recipients: readonly RecipientResult[],
  ): Promise<string[] | undefined> {
    const results = { recipients, at: this.clock.now() };
    return this.database.transaction((sql) => moveToFailed(sql, this.webhooks, lease, reason, results));
  }

  /**
   * sending -> queued, for a retry after the delay. Returns false when the lease was lost.
   * @param urls the destinations of its links, if some recipients have the email
   */
  postpone(lease: Lease, postponement: Postponement, urls: readonly string[] = []): Promise<boolean> {
    const move = (sql: Sql): Promise<boolean> => moveToQueued(sql, lease, postponement, { urls, clock: this.clock });
    const isSeveralStatements = (postponement.recipients?.length ?? 0) > 0 || postponement.isSecondDoubt === true;
    return isSeveralStatements ? this.database.transaction(move) : move(this.database);
  }

  /**
   * sending -> queued, as if it had never been claimed: the provider certainly received nothing.
   * @param generation that of the claim
   */
  giveBack(lease: Lease, generation: number): Promise<void> {
    return this.returns.call(lease, generation);
  }

  /** sending -> queued, for claimed emails, as if they had never been claimed: the provider certainly accepted none. */
  async release(leases: readonly Lease[]): Promise<void> {
    await RELEASE_LEASES.run(this.database, leaseKeys(leases));
  }

  /**
   * Takes an email out of the queue until `HeldMail` releases it. Its job may end. A failed attempt puts an email off,
   * so that its due time does not show for how long it has waited.
   */
  async hold(emailId: string): Promise<void> {
    await this.database.query(
      `update pending_emails
          set due_at = queued_at + ${HELD_FOR}, dispatched_at = null, generation = generation + 1
        where email_id = $1 and lease_token is null and due_at <= now()`,
      [emailId],
    );
  }

  /**
   * Records a run that crashed before it claimed the email. The delay doubles each time, so an outage does not use up
   * the budget that is meant for poison emails.
   */
  async recordCrash(emailId: string, delayMs: number): Promise<void> {
    await this.database.query(
      `update pending_emails
          set crashes = crashes + 1, dispatched_at = null, generation = generation + 1,
              due_at = greatest(due_at, now() + least(3600000, $2 * 2 ^ least(crashes, 20)) * interval '1 ms')
        where email_id = $1 and lease_token is null`,
      [emailId, delayMs],
    );
  }

  private async claimAll(claims: readonly (readonly [Lease, Claimable])[]): Promise<Claimed[]> {
    const rows = await CLAIM.run<ClaimRow>(this.database, claimValues(claims, EMAIL_LEASE_MS));
    return readClaims(claims, rows);
  }

  private async giveAllBack(claims: readonly (readonly [Lease, number])[]): Promise<void[]> {
    const keys = leaseKeys(claims.map(([lease]) => lease));
    await GIVE_BACK.run(this.database, { ...keys, generations: claims.map(([, generation]) => generation) });
    return claims.map(() => undefined);
  }

  /** The first moved email of a batch returns the deliveries of the whole batch, so they are woken once. */
  private async markAllSent(
    sql: Sql,
    emails: readonly (readonly [Lease, SentEmail])[],
  ): Promise<(string[] | undefined)[]> {
    const [outcome] = await MARK_SENT.run<{ moved: string[]; deliveries: string[] }>(sql, sentValues(emails));
    const moved = new Set(outcome!.moved);
    const deliveries = [...outcome!.deliveries];
    return emails.map(([{ token }]) => (moved.delete(token) ? deliveries.splice(0) : undefined));
  }
}

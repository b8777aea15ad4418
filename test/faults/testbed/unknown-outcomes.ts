import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../src/platform/database/database.js';
import type { SendGridStub } from '../../support/sendgrid-stub.js';
import type { SmtpStub } from '../../support/smtp-stub.js';

/** A claim that the worker sent just before it died takes effect shortly afterwards. */
const LATE_CLAIM_MS = 300;
/** A 408 or 5xx leaves the outcome open, except a 503, which precedes any processing. */
const isAmbiguous = (status: number): boolean => status === 408 || (status >= 500 && status !== 503);

interface Lease {
  email_id: string;
  attempts: number;
}

/**
 * Attempts whose outcome no worker could know: the provider stub did not respond, or its response left the outcome
 * open, or the worker was killed or frozen after it had claimed the email.
 */
export class UnknownOutcomes {
  private readonly interrupted = new Map<string, Set<number>>();

  constructor(
    private readonly database: Database,
    private readonly sendGrid: SendGridStub,
    private readonly smtp: SmtpStub,
  ) {}

  /** Call this whenever a worker stops before it could record its outcomes. */
  async workerStopped(): Promise<void> {
    await this.recordLeases();
    void delay(LATE_CLAIM_MS).then(() => this.recordLeases());
  }

  /** The number of attempts with an unknown outcome, by email ID. */
  count(emailIds: ReadonlySet<string>): ReadonlyMap<string, number> {
    const attemptsByEmail = new Map([...this.interrupted].map(([id, attempts]) => [id, new Set(attempts)]));
    const add = (id: string, attempt: number) =>
      attemptsByEmail.set(id, (attemptsByEmail.get(id) ?? new Set()).add(attempt));
    for (const { emailId, attempt, status } of this.sendGrid.requests) {
      if (status === undefined || isAmbiguous(status)) add(emailId, attempt);
    }
    for (const [index, { emailId, hasReply }] of this.smtp.received.entries()) if (!hasReply) add(emailId, -index);
    return new Map(
      [...attemptsByEmail].filter(([id]) => emailIds.has(id)).map(([id, attempts]) => [id, attempts.size]),
    );
  }

  /** While Postgres is down, no worker can claim an email either. */
  private async recordLeases(): Promise<void> {
    const leases = await this.database
      .query<Lease>('select email_id, attempts from pending_emails where lease_token is not null')
      .catch(() => []);
    for (const { email_id: id, attempts } of leases) {
      this.interrupted.set(id, (this.interrupted.get(id) ?? new Set()).add(attempts));
    }
  }
}

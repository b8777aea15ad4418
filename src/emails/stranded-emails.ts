import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Lease } from './delivery-state.js';

/** A lease on an email that its former holder gave up. */
export interface StrandedLease extends Lease {
  readonly attempts: number;
  readonly generation: number;
}

/** Emails that nobody works on although somebody should. All times are those of Postgres. */
@Injectable()
export class StrandedEmails {
  constructor(private readonly database: Database) {}

  /** Emails in `sending` whose lease ran out, now leased under `token`. */
  async takeOver(token: string, leaseMs: number, limit: number): Promise<StrandedLease[]> {
    const rows = await this.database.query<{ id: string; attempts: number; generation: number }>(
      `update emails set lease_token = $1, lease_until = now() + $2 * interval '1 ms', crashes = crashes + 1
        where id in (select id from emails where status = 'sending' and lease_until < now()
                      order by lease_until limit $3 for update skip locked)
        returning id, attempts, generation`,
      [token, leaseMs, limit],
    );
    return rows.map(({ id, ...counts }) => ({ emailId: id, token, ...counts }));
  }

  /** Emails in `queued` that have been due for longer than `overdueMs`, longest first. */
  async overdue(overdueMs: number, limit: number): Promise<{ emailId: string; generation: number }[]> {
    const rows = await this.database.query<{ id: string; generation: number }>(
      `select id, generation from emails
        where status = 'queued' and next_attempt_at < now() - $1 * interval '1 ms'
        order by next_attempt_at limit $2`,
      [overdueMs, limit],
    );
    return rows.map(({ id, generation }) => ({ emailId: id, generation }));
  }
}

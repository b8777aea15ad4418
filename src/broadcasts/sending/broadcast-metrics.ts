import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { Database } from '../../platform/database/database.js';
import { isOneOf } from '../../platform/database/one-of.js';
import { METRICS } from '../../platform/health/metrics.js';
import { registerScrapedGauge } from '../../platform/health/scraped-gauge.js';
import { ACTIVE_STATUSES } from '../broadcast-status.js';

/** What happened to a recipient when its turn came. */
export const RECIPIENT_OUTCOMES = ['email', 'suppressed', 'canceled'] as const;
export type RecipientOutcome = (typeof RECIPIENT_OUTCOMES)[number];

/**
 * Metrics of broadcasts. Every worker reports the same number of broadcasts, but counts only the recipients of its own
 * steps.
 */
@Injectable()
export class BroadcastMetrics {
  private readonly recipients: Counter<'outcome'>;

  constructor(@Inject(METRICS) registry: Registry, database: Database) {
    this.recipients = new Counter({
      name: 'mailbeacon_broadcast_recipients_total',
      help: 'Recipients of broadcasts that became an email, were suppressed when their turn came, or whose email was canceled',
      labelNames: ['outcome'],
      registers: [registry],
    });
    // Starts every series at zero: otherwise `increase()` misses the first event.
    for (const outcome of RECIPIENT_OUTCOMES) this.recipients.inc({ outcome }, 0);
    registerScrapedGauge<'status'>(
      registry,
      { name: 'mailbeacon_broadcasts', help: 'Broadcasts in progress', labelNames: ['status'] },
      async () => {
        const rows = await database.query<{ status: string; count: number }>(
          `select status, count(*)::integer as count from broadcasts
            where ${isOneOf('status', ACTIVE_STATUSES)} group by status`,
        );
        const counts = new Map(rows.map(({ status, count }) => [status, count]));
        return ACTIVE_STATUSES.map((status) => ({ labels: { status }, value: counts.get(status) ?? 0 }));
      },
    );
  }

  count(outcome: RecipientOutcome, recipients: number): void {
    this.recipients.inc({ outcome }, recipients);
  }
}

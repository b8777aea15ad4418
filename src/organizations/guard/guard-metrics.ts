import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { Database } from '../../platform/database/database.js';
import { METRICS } from '../../platform/health/metrics.js';
import { registerScrapedGauge } from '../../platform/health/scraped-gauge.js';
import type { GuardStatus } from './guard-status.js';

const GUARDED = ['warned', 'slowed', 'paused'] as const satisfies readonly GuardStatus[];

/** States that operators cause, with the condition of their rows. */
const STOPPED = [
  {
    name: 'mailbeacon_organizations_suspended',
    help: 'Suspended organizations',
    which: 'suspended',
  },
  {
    name: 'mailbeacon_organizations_being_canceled',
    help: 'Suspended organizations whose queued mail is not all canceled yet',
    which: 'cancel_step_at is not null',
  },
] as const;

/** Organizations that are warned, send more slowly, or not at all, because of bounces or complaints. */
@Injectable()
export class GuardMetrics {
  private readonly changes: Counter<'to'>;

  constructor(@Inject(METRICS) registry: Registry, database: Database) {
    this.changes = new Counter({
      name: 'mailbeacon_sending_guard_changes_total',
      help: 'Organizations that were warned, slowed down, paused, or released because their rates fell',
      labelNames: ['to'],
      registers: [registry],
    });
    // Starts the series at zero: otherwise `increase()` misses the first change.
    for (const to of ['normal', ...GUARDED]) this.changes.inc({ to }, 0);
    registerScrapedGauge<'state'>(
      registry,
      {
        name: 'mailbeacon_organizations_guarded',
        help: 'Organizations that are warned, slowed down or paused because of bounces or complaints',
        labelNames: ['state'],
      },
      async () => {
        const rows = await database.query<{ state: string; count: number }>(
          `select state, count(*)::integer as count from sending_guards where state <> 'normal' group by state`,
        );
        const counts = new Map(rows.map(({ state, count }) => [state, count]));
        return GUARDED.map((state) => ({ labels: { state }, value: counts.get(state) ?? 0 }));
      },
    );
    for (const { which, ...description } of STOPPED) {
      registerScrapedGauge(registry, description, async () => {
        const [row] = await database.query<{ count: number }>(
          `select count(*)::integer as count from sending_guards where ${which}`,
        );
        return [{ value: row!.count }];
      });
    }
  }

  countChange(to: GuardStatus): void {
    this.changes.inc({ to });
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { PacedRetention } from '../../platform/database/paced-retention.js';
import { METRICS } from '../../platform/health/metrics.js';
import { registerScrapedGauge } from '../../platform/health/scraped-gauge.js';
import { AUDIT_ACTIONS } from './audit-actions.js';

/** Rows per statement: large enough for throughput, small enough to keep locks short. */
const BATCH = 5_000;
/** Per run. The next run continues. */
const MAX_BATCHES = 200;

/** Deletes audit entries after the retention period, and measures the number of recent ones. */
@Injectable()
export class AuditRetention {
  constructor(
    @Inject(METRICS) registry: Registry,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    private readonly database: Database,
    private readonly pace: PacedRetention,
  ) {
    registerScrapedGauge<'target'>(
      registry,
      {
        name: 'mailbeacon_audit_entries_last_hour',
        help: 'Changes by keys, users and operators within the last hour, by what they changed',
        labelNames: ['target'],
      },
      async () => {
        const rows = await database.query<{ action: string; count: number }>(
          `select action, count(*)::int as count from audit_entries where at > now() - interval '1 hour' group by action`,
        );
        const counts = new Map(AUDIT_ACTIONS.map((action) => [targetOf(action), 0]));
        for (const { action, count } of rows) counts.set(targetOf(action), (counts.get(targetOf(action)) ?? 0) + count);
        return [...counts].map(([target, value]) => ({ labels: { target }, value }));
      },
    );
  }

  /** Any number of processes may run this at the same time. */
  async deleteExpired(stop: AbortSignal): Promise<void> {
    const period = { setting: 'AUDIT_RETENTION_DAYS', days: this.settings.AUDIT_RETENTION_DAYS } as const;
    const days = await this.pace.daysToKeep(this.database, period, 'select min(at) from audit_entries');
    for (let batch = 0; batch < MAX_BATCHES && !stop.aborted; batch++) {
      const [row] = await this.database.query<{ deleted: number }>(
        'select delete_expired_audit_entries($1, $2) as deleted',
        [days, BATCH],
      );
      if (row!.deleted < BATCH) return;
    }
  }
}

/** The part of an action before the dot. */
function targetOf(action: string): string {
  return action.split('.', 1)[0]!;
}

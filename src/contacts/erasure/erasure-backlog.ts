import { Inject, Injectable } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { Database } from '../../platform/database/database.js';
import { METRICS } from '../../platform/health/metrics.js';
import { registerScrapedGauge } from '../../platform/health/scraped-gauge.js';

/** The unfinished erasures. Every worker reports the same value. */
@Injectable()
export class ErasureBacklog {
  constructor(@Inject(METRICS) registry: Registry, database: Database) {
    registerScrapedGauge(
      registry,
      {
        name: 'mailbeacon_erasure_oldest_seconds',
        help: 'Age of the oldest unfinished erasure of a contact; 0 for none',
      },
      async () => {
        const [row] = await database.query<{ seconds: number }>(
          'select coalesce(extract(epoch from now() - min(requested_at)), 0)::float8 as seconds from contact_erasures',
        );
        return [{ labels: {}, value: row!.seconds }];
      },
    );
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, type Registry } from 'prom-client';
import { METRICS } from '../../platform/health/metrics.js';
import { BLOCK_KINDS, type BlockKind } from './block-kinds.js';

/** Metrics of the deny list for links in this process. */
@Injectable()
export class BlockingMetrics {
  private readonly clicks: Counter<'kind'>;
  private readonly entries: Gauge<'kind'>;
  private counted = 0;

  constructor(@Inject(METRICS) registry: Registry) {
    this.clicks = new Counter({
      name: 'mailbeacon_blocked_clicks_total',
      help: 'Clicks that got a page instead of the redirect, by what is blocked',
      labelNames: ['kind'],
      registers: [registry],
    });
    this.entries = new Gauge({
      name: 'mailbeacon_blocked_links',
      help: 'Entries of the deny list for links that the process knows',
      labelNames: ['kind'],
      registers: [registry],
    });
    // Starts the series at zero: otherwise `increase()` misses the first click.
    for (const kind of BLOCK_KINDS) this.clicks.inc({ kind }, 0);
    this.show({ host: 0, email: 0, organization: 0, deleted: 0 });
  }

  /** Blocked clicks of this process so far. */
  get total(): number {
    return this.counted;
  }

  count(kind: BlockKind): void {
    this.counted++;
    this.clicks.inc({ kind });
  }

  show(sizes: Readonly<Record<BlockKind, number>>): void {
    for (const kind of BLOCK_KINDS) this.entries.set({ kind }, sizes[kind]);
  }
}

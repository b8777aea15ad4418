import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, type Registry } from 'prom-client';
import { METRICS } from '../../platform/health/metrics.js';

/** Why a live connection ended. */
export const LIVE_ENDS = ['client', 'age', 'refused', 'slow', 'drain'] as const;
export type LiveEnd = (typeof LIVE_ENDS)[number];

@Injectable()
export class LiveMetrics {
  private readonly ended: Counter<'reason'>;

  constructor(@Inject(METRICS) private readonly registry: Registry) {
    this.ended = new Counter({
      name: 'mailbeacon_live_connections_ended_total',
      help: 'Connections of GET /api/live that ended, by reason: slow clients read too little, refused ones lost their key or session',
      labelNames: ['reason'],
      registers: [registry],
    });
    for (const reason of LIVE_ENDS) this.ended.inc({ reason }, 0);
  }

  observe(connections: () => number): void {
    new Gauge({
      name: 'mailbeacon_live_connections',
      help: 'Open connections of GET /api/live',
      registers: [this.registry],
      collect() {
        this.set(connections());
      },
    });
  }

  recordEnd(reason: LiveEnd): void {
    this.ended.inc({ reason });
  }
}

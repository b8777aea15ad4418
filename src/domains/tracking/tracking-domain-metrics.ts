import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { METRICS } from '../../platform/health/metrics.js';
import type { DomainStatus } from '../domain-row.js';
import type { Ownership } from '../ownership.js';

/** Metrics for operators: results of DNS checks, and tracking domains that become verified or pending. */
@Injectable()
export class TrackingDomainMetrics {
  private readonly checks: Counter<'result'>;
  private readonly changes: Counter<'to'>;

  constructor(@Inject(METRICS) registry: Registry) {
    const registers = [registry];
    this.checks = new Counter({
      name: 'mailbeacon_tracking_domain_checks_total',
      help: 'Checks of the records of tracking domains, by result; unanswered means a DNS error',
      labelNames: ['result'],
      registers,
    });
    this.changes = new Counter({
      name: 'mailbeacon_tracking_domain_changes_total',
      help: 'Tracking domains that became verified, or pending after failing for too long',
      labelNames: ['to'],
      registers,
    });
  }

  countCheck(result: Ownership): void {
    this.checks.inc({ result });
  }

  countChange(to: DomainStatus): void {
    this.changes.inc({ to });
  }
}

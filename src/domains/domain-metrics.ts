import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { METRICS } from '../platform/health/metrics.js';
import type { DomainStatus } from './domain-row.js';
import type { Ownership } from './ownership.js';

/** Metrics for operators: results of DNS checks, and domains that become verified or pending. */
@Injectable()
export class DomainMetrics {
  private readonly checks: Counter<'ownership'>;
  private readonly changes: Counter<'to'>;

  constructor(@Inject(METRICS) registry: Registry) {
    const registers = [registry];
    this.checks = new Counter({
      name: 'mailbeacon_domain_checks_total',
      help: 'Checks of the ownership records of sending domains, by result; unanswered means a DNS error',
      labelNames: ['ownership'],
      registers,
    });
    this.changes = new Counter({
      name: 'mailbeacon_domain_changes_total',
      help: 'Sending domains that became verified, or pending after failing for too long',
      labelNames: ['to'],
      registers,
    });
  }

  countCheck(ownership: Ownership): void {
    this.checks.inc({ ownership });
  }

  countChange(to: DomainStatus): void {
    this.changes.inc({ to });
  }
}

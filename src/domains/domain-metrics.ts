import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { METRICS } from '../platform/health/metrics.js';
import type { DomainStatus } from './domain-row.js';
import type { Ownership } from './ownership.js';

/** What operators watch: whether DNS answers, and domains that are won and lost. */
@Injectable()
export class DomainMetrics {
  private readonly looks: Counter<'ownership'>;
  private readonly changes: Counter<'to'>;

  constructor(@Inject(METRICS) registry: Registry) {
    const registers = [registry];
    this.looks = new Counter({
      name: 'mailbeacon_domain_looks_total',
      help: 'Looks for the ownership records of sending domains, by what was found; unanswered means trouble with DNS',
      labelNames: ['ownership'],
      registers,
    });
    this.changes = new Counter({
      name: 'mailbeacon_domain_changes_total',
      help: 'Sending domains that became verified, or pending because they failed for too long',
      labelNames: ['to'],
      registers,
    });
  }

  looked(ownership: Ownership): void {
    this.looks.inc({ ownership });
  }

  changed(to: DomainStatus): void {
    this.changes.inc({ to });
  }
}

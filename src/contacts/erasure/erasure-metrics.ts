import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { METRICS } from '../../platform/health/metrics.js';

/** Metrics of erasures. Each process counts its own steps. */
@Injectable()
export class ErasureMetrics {
  private readonly contacts: Counter;
  private readonly emails: Counter;

  constructor(@Inject(METRICS) registry: Registry) {
    this.contacts = new Counter({
      name: 'mailbeacon_erased_contacts_total',
      help: 'Contacts whose erasure has ended',
      registers: [registry],
    });
    this.emails = new Counter({
      name: 'mailbeacon_erased_emails_total',
      help: 'Emails from which a person was erased',
      registers: [registry],
    });
  }

  count(emails: number, hasEnded: boolean): void {
    this.emails.inc(emails);
    if (hasEnded) this.contacts.inc();
  }
}

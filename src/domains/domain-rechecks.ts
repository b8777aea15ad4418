import { Injectable } from '@nestjs/common';
import { DOMAIN_COLUMNS, type DomainRow } from './domain-row.js';
import { DomainVerification } from './domain-verification.js';
import { DueRechecks } from './due-rechecks.js';
import { ProviderDomainRemovals } from './provider-domain-removals.js';

/** Checks verified domains every day, and removes deleted ones from the provider's account. */
@Injectable()
export class DomainRechecks {
  constructor(
    private readonly rechecks: DueRechecks,
    private readonly verification: DomainVerification,
    private readonly removals: ProviderDomainRemovals,
  ) {}

  async run(stop: AbortSignal): Promise<void> {
    await this.removals.run(stop);
    const check = (row: DomainRow) => this.verification.check(row);
    const problem = 'A domain could not be checked';
    await this.rechecks.run({ table: 'sending_domains', columns: DOMAIN_COLUMNS, check, problem }, stop);
  }
}

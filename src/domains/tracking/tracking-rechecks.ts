import { Injectable } from '@nestjs/common';
import { DueRechecks } from '../due-rechecks.js';
import { TRACKING_DOMAIN_COLUMNS, type TrackingDomainRow } from './tracking-domain-row.js';
import { TrackingVerification } from './tracking-verification.js';

/** Checks verified tracking domains every hour. */
@Injectable()
export class TrackingRechecks {
  constructor(
    private readonly rechecks: DueRechecks,
    private readonly verification: TrackingVerification,
  ) {}

  async run(stop: AbortSignal): Promise<void> {
    const check = (row: TrackingDomainRow) => this.verification.check(row);
    const problem = 'A tracking domain could not be checked';
    await this.rechecks.run({ table: 'tracking_domains d', columns: TRACKING_DOMAIN_COLUMNS, check, problem }, stop);
  }
}

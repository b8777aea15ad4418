import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { continueCancellation } from './cancel-organization-mail.js';

/** A run ends after this time, and the next one continues. */
const RUN_MS = 8_000;

/** Finishes cancellations of the mail of organizations. */
@Injectable()
export class MailCancellations {
  constructor(private readonly database: Database) {}

  /** Any number of workers may run this at the same time. */
  async run(stop: AbortSignal): Promise<void> {
    const endsAt = performance.now() + RUN_MS;
    const mayContinue = (): boolean => !stop.aborted && performance.now() < endsAt;
    while (await continueCancellation(this.database, mayContinue));
  }
}

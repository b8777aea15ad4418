import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { continueCancellation } from './cancel-organization-mail.js';

/** A run ends after this time, and the next one continues. */
const RUN_MS = 8_000;

/** Finishes cancellations of the mail of organizations. */
@Injectable()
export class MailCancellations implements OnModuleDestroy {
  private stopped = false;

  constructor(private readonly database: Database) {}

  onModuleDestroy(): void {
    this.stopped = true;
  }

  /** Any number of workers may run this at the same time. */
  async run(): Promise<void> {
    const endsAt = performance.now() + RUN_MS;
    const mayContinue = (): boolean => !this.stopped && performance.now() < endsAt;
    while (await continueCancellation(this.database, mayContinue));
  }
}

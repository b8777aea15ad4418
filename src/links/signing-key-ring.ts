import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import type { SigningKeys } from './signing-keys.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { loadSigningKeys } from './signing-key-store.js';

/** Well below the delay between adding a key and signing with it. */
const REFRESH_MS = 60_000;

/** The signing keys of this process. Loaded at startup and refreshed, so that they survive an outage of Postgres. */
@Injectable()
export class SigningKeyRing implements OnModuleInit, OnApplicationShutdown {
  private keys?: SigningKeys;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  get current(): SigningKeys {
    if (!this.keys) throw new Error('The signing keys are not loaded yet');
    return this.keys;
  }

  async onModuleInit(): Promise<void> {
    await this.reload();
    this.timer = setInterval(() => void this.refresh(), REFRESH_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Loads the keys again, for a key that this process may not know yet. */
  async reload(): Promise<SigningKeys> {
    return (this.keys = await loadSigningKeys(this.database));
  }

  private async refresh(): Promise<void> {
    try {
      await this.reload();
    } catch (error) {
      this.logger.warn({ err: error }, 'The signing keys could not be refreshed; the known keys stay in use');
    }
  }
}

import { Writable } from 'node:stream';
import type { StoreOutages } from '../../src/platform/health/store-outages.js';
import { createLogger, type Logger } from '../../src/platform/logging/logger.js';

/** A logger that keeps its lines for the test. */
export class CapturedLog {
  /** All log output so far, as JSON lines. */
  text = '';
  readonly logger: Logger;

  constructor(level: string, roles: readonly string[], outages?: StoreOutages) {
    const destination = new Writable({
      write: (chunk, _encoding, done) => {
        this.text += String(chunk);
        done();
      },
    });
    this.logger = createLogger(level, roles, { destination, ...(outages && { outages }) });
  }
}

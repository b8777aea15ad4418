import { pino } from 'pino';
import { PacedRetention } from '../../src/platform/database/paced-retention.js';
import { createMetrics } from '../../src/platform/health/metrics.js';

/** Holds back deletions as a worker does, without a log. */
export const silentPace = (): PacedRetention => new PacedRetention(createMetrics(), pino({ level: 'silent' }));

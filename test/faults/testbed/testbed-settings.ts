import type { Role } from '../../../src/platform/config/settings.js';
import { newEncryptionKey } from '../../../src/platform/encryption/encryption-keys.js';
import { CANARIES } from '../canaries.js';

/** The number of processes of each role. */
export type ProcessCounts = Readonly<Record<Role, number>>;

export const DEFAULT_PROCESS_COUNTS: ProcessCounts = {
  api: 2,
  tracking: 2,
  worker: 2,
  flusher: 2,
  bounces: 0,
  smtp: 0,
};

/** Timeouts as short as the product allows, so that a scenario does not take minutes. */
const SHORT_WAITS = {
  DELIVERY_PROVIDER: 'sendgrid',
  DELIVERY_TIMEOUT_MS: '15000',
  AMBIGUOUS_RESEND_AFTER_MS: '2000',
  SEND_RESPONSE_TIMEOUT_MS: '4000',
  RATE_LIMIT_PER_MINUTE: '0',
  DATABASE_POOL_SIZE: '6',
  DRAIN_DELAY_MS: '1000',
  // Readers are fast here. With the default, most hits would count as instant, and no rule would relabel a stored
  // event.
  ENGAGEMENT_INSTANT_MS: '500',
};

/**
 * The page cache survives a killed process, so commits need no fsync. They must reach it: synchronous_commit stays on.
 */
export const POSTGRES_SETTINGS = { fsync: 'off', max_connections: '300', shared_buffers: '128MB' };

/** The environment of every process, overridden by the settings of a scenario. */
export function environmentWith(settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return {
    ...SHORT_WAITS,
    HOST: '127.0.0.1',
    OPERATOR_PORT: '0',
    BASE_URL: 'http://track.test',
    PLATFORM_SENDING_DOMAIN: 'platform.test',
    ENCRYPTION_KEYS: newEncryptionKey('test'),
    SENDGRID_API_KEY: CANARIES.providerKey,
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
    // The invariants look for every acknowledged hit by its ID, so none may be summed up.
    EVENTS_PER_EMAIL_PER_MINUTE: '65535',
    ...settings,
  };
}

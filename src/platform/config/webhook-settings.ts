import { wholeNumber, flag } from './setting-types.js';

/** Settings of webhooks; part of the table of all. */
export const webhookVariables = {
  WEBHOOK_ALLOW_PRIVATE_ADDRESSES: flag({
    description: 'Allow webhooks to private and loopback addresses',
    default: false,
  }),
  WEBHOOK_ALLOW_HTTP: flag({
    description: 'Allow webhooks to public addresses without TLS, where anybody on the way can read them',
    default: false,
  }),
  WEBHOOK_CONCURRENCY: wholeNumber({
    description: 'Webhook requests one worker makes at once; one endpoint gets at most a tenth of them',
    default: 100,
    min: 10,
    max: 10_000,
  }),
  WEBHOOK_RETENTION_DAYS: wholeNumber({
    description: 'Days for which webhook deliveries are kept, to be looked at and replayed',
    default: 30,
    min: 7,
    max: 3650,
  }),
};

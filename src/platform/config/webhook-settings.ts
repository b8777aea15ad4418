import { choice, wholeNumber, flag } from './setting-types.js';

/** Settings of webhooks. */
export const webhookVariables = {
  WEBHOOK_ALLOW_PRIVATE_ADDRESSES: flag({
    description:
      'Allow webhooks and SMTP servers of organizations at any address and port, also private and loopback ones, and webhooks without TLS',
    default: false,
  }),
  WEBHOOK_ALLOW_HTTP: flag({
    description: 'Allow webhooks to public addresses without TLS, where third parties can read them in transit',
    default: false,
  }),
  WEBHOOK_VERIFY_OWNERSHIP: choice(['public', 'always', 'never'], {
    description:
      'Which webhook URLs must return a challenge when they are saved (public: all except http URLs if private addresses are allowed)',
    default: 'public',
  }),
  WEBHOOK_CONCURRENCY: wholeNumber({
    description:
      'Number of webhook requests that one worker makes concurrently; one endpoint gets at most a tenth of them',
    default: 100,
    min: 10,
    max: 10_000,
  }),
  WEBHOOK_RETENTION_DAYS: wholeNumber({
    description: 'Days to keep webhook deliveries for inspection and replay',
    default: 30,
    min: 7,
    max: 3650,
  }),
};

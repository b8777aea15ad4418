import { bounceVariables } from './bounce-settings.js';
import { budgetVariables } from './budget-settings.js';
import { domainVariables } from './domain-settings.js';
import { engagementVariables } from './engagement-settings.js';
import { eventStoreVariables } from './event-store-settings.js';
import { guardVariables } from './guard-settings.js';
import { httpVariables } from './http-settings.js';
import { campaignLimits } from './plan-limits.js';
import { providerVariables } from './provider-settings.js';
import { redisVariables } from './redis-settings.js';
import { retentionVariables } from './retention-settings.js';
import {
  domain,
  encryptionKeys,
  wholeNumber,
  choice,
  optionalChoice,
  roleSet,
  fraction,
  linkStart,
  optionalText,
  text,
  url,
  type Variable,
} from './setting-types.js';
import { submissionVariables } from './submission-settings.js';
import { userVariables } from './user-settings.js';
import { webhookVariables } from './webhook-settings.js';

/** The roles of a complete installation. */
export const MAIN_ROLES = ['api', 'tracking', 'worker', 'flusher'] as const;
/** All roles that a process can run. */
export const ROLES = [...MAIN_ROLES, 'bounces', 'smtp'] as const;
export type Role = (typeof ROLES)[number];

/**
 * All settings with their parsers and descriptions. Tests compare `.env.example` and the documentation with this table.
 */
export const variables = {
  ROLES: roleSet(ROLES, {
    description:
      'Roles that this process runs. Unset: the four defaults, bounces if BOUNCE_SMTP_PORT is set, and smtp if SUBMISSION_PORT is set. A process with the four defaults and the embedded inbox runs all six',
    default: [...MAIN_ROLES],
  }),
  ...httpVariables,
  BASE_URL: linkStart({
    description: 'Public URL of this service, used in tracking links (unset: http://localhost:PORT)',
    example: 'https://track.example.com',
    optional: true,
  }),
  ...userVariables,
  DATABASE_URL: url(['postgres:', 'postgresql:'], {
    description: 'PostgreSQL 14 or newer (unset: embedded)',
    example: 'postgres://mailbeacon:secret@db.internal:5432/mailbeacon',
    optional: true,
  }),
  DATABASE_POOLING: choice(['session', 'transaction'], {
    description: 'Pool mode of a pooler such as PgBouncer at DATABASE_URL (session: also correct without a pooler)',
    default: 'session',
  }),
  DATABASE_POOL_SIZE: wholeNumber({
    description: 'Postgres connections per process. Of two, one organization can use both',
    default: 10,
    min: 2,
    max: 500,
  }),
  ...redisVariables,
  PLATFORM_SENDING_DOMAIN: domain({
    description: 'Domain of the rewritten sender address of mail from unverified domains',
    default: 'mailbeacon.localhost',
    example: 'mail.example.com',
  }),
  ...providerVariables,
  ...bounceVariables,
  ...submissionVariables,
  DELIVERY_TIMEOUT_MS: wholeNumber({
    description: 'Deadline of one delivery attempt, in milliseconds',
    default: 60_000,
    min: 100,
    max: 600_000,
  }),
  SEND_RESPONSE_TIMEOUT_MS: wholeNumber({
    description: 'How long POST /api/send waits for the delivery result, in milliseconds',
    default: 10_000,
    min: 0,
    max: 120_000,
  }),
  WORKER_CONCURRENCY: wholeNumber({
    description: 'Maximum number of calls of the provider that one worker makes concurrently',
    default: 20,
    min: 1,
    max: 1000,
  }),
  DISPATCH_WINDOW: wholeNumber({
    description:
      'Maximum number of emails with a job in Redis; the rest wait in Postgres, round robin over organizations',
    default: 2_000,
    min: 10,
    max: 100_000,
  }),
  AMBIGUOUS_SEND: choice(['resend', 'hold'], {
    description:
      'How to treat a delivery with an unknown outcome, which the provider may or may not have accepted: resend once, or hold',
    default: 'resend',
  }),
  AMBIGUOUS_RESEND_AFTER_MS: wholeNumber({
    description:
      'Delay before the single resend of a delivery with an unknown outcome, in milliseconds; with hold, the time that a worker that stops responding has to record its outcome before the delivery fails',
    default: 180_000,
    min: 0,
    max: 86_400_000,
  }),
  SPOOL_DIRECTORY: text({
    description:
      'Folder where the tracking edge stores events while Redis does not accept them; relative to the working directory',
    default: '.mailbeacon/spool',
  }),
  SPOOL_MAX_BYTES: wholeNumber({
    description:
      'Maximum size of SPOOL_DIRECTORY in bytes, across all processes that share it; an event takes about 100. Further events are lost',
    default: 10_000_000_000,
    min: 10_000_000,
    max: 10_000_000_000_000,
  }),
  EVENTS_PER_EMAIL_PER_MINUTE: wholeNumber({
    description:
      'Opens and clicks per email, minute and tracking process that are stored and sent to webhooks individually; further ones are only counted',
    default: 60,
    min: 1,
    max: 65_535,
  }),
  SCANNER_NETWORKS_FILE: optionalText({
    description:
      'CSV file of the networks whose opens and clicks come from machines, with the columns of src/events/classification/scanner-networks.csv (unset: that file)',
    example: '/etc/mailbeacon/scanner-networks.csv',
    optional: true,
  }),
  ...retentionVariables,
  ...eventStoreVariables,
  SOFT_BOUNCE_LIMIT: wholeNumber({
    description:
      'Soft bounces of an address in a row, without a delivery between them and within 180 days, that suppress it',
    default: 5,
    min: 1,
    max: 1_000,
  }),
  ...engagementVariables,
  ENCRYPTION_KEYS: encryptionKeys({
    description:
      'Keys that encrypt stored secrets, as id:base64,…; the first encrypts, all decrypt (unset: generated at the first start if all roles run)',
    example: 'k2026:ZXhhbXBsZS1vbmx5LW1ha2UteW91ci1vd24ta2V5ISE=',
    optional: true,
  }),
  ...webhookVariables,
  ...domainVariables,
  ...guardVariables,
  RATE_LIMIT_PER_MINUTE: wholeNumber({
    description: 'Requests per minute and organization, bursts included (0: no limit)',
    default: 60_000,
    min: 0,
    max: 10_000_000,
  }),
  PLANS: campaignLimits({
    description: 'Maximum number of active campaigns per plan, as name=limit,…; an empty limit means unlimited',
    default: 'free=10,pro=1000,unlimited=',
  }),
  ...budgetVariables,
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http:', 'https:'], {
    description: 'OpenTelemetry collector that receives email traces, by OTLP over HTTP (unset: no traces)',
    example: 'http://collector.internal:4318',
    optional: true,
  }),
  OTEL_TRACES_SAMPLER_ARG: fraction({
    description: 'Fraction of emails to trace',
    default: 1,
    example: '0.01',
  }),
  LOG_LEVEL: optionalChoice(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], {
    description: 'Minimum log level (unset: info, or warn if npm start runs Postgres, Redis or the inbox itself)',
    example: 'info',
    optional: true,
  }),
} satisfies Record<string, Variable<unknown>>;

export type VariableName = keyof typeof variables;

/** All settings after parsing and validation. Property names equal the names of the environment variables. */
export type Settings = {
  readonly [Name in VariableName]: (typeof variables)[Name] extends Variable<infer Value> ? Value : never;
};

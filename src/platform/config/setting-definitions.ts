import { domainVariables } from './domain-settings.js';
import { httpVariables } from './http-settings.js';
import { smtpUrl } from './smtp-url.js';
import { redisVariables } from './redis-settings.js';
import {
  domain,
  encryptionKeys,
  wholeNumber,
  choice,
  roleSet,
  secret,
  fraction,
  text,
  url,
  type Variable,
} from './setting-types.js';
import { webhookVariables } from './webhook-settings.js';

/** The four roles a process can take, in the order an email meets them. */
export const ROLES = ['api', 'tracking', 'worker', 'flusher'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Every setting there is: how it is read, what it is for and which roles need it.
 * `.env.example` and the documentation are checked against this table.
 */
export const variables = {
  ROLES: roleSet(ROLES, { description: 'Roles this process takes', default: [...ROLES] }),
  ...httpVariables,
  BASE_URL: url(['http:', 'https:'], {
    description: 'Public address of this service, put into tracking links (unset: http://localhost:PORT)',
    example: 'https://track.example.com',
    optional: true,
  }),
  DATABASE_URL: url(['postgres:', 'postgresql:'], {
    description: 'PostgreSQL 14 or newer (unset: embedded)',
    example: 'postgres://mailbeacon:secret@db.internal:5432/mailbeacon',
    optional: true,
  }),
  DATABASE_POOLING: choice(['session', 'transaction'], {
    description: 'Mode of a pooler such as PgBouncer at DATABASE_URL (session: also right without a pooler)',
    default: 'session',
  }),
  DATABASE_POOL_SIZE: wholeNumber({ description: 'Postgres connections per process', default: 10, min: 2, max: 500 }),
  ...redisVariables,
  PLATFORM_SENDING_DOMAIN: domain({
    description: 'Domain that senders of unverified domains are rewritten to',
    default: 'mailbeacon.localhost',
    example: 'mail.example.com',
  }),
  DELIVERY_PROVIDER: choice(['smtp', 'sendgrid'], { description: 'Who delivers the mail', default: 'smtp' }),
  SENDGRID_API_KEY: secret({
    description: 'SendGrid API key with the mail.send permission (needed when DELIVERY_PROVIDER=sendgrid)',
    example: 'SG.xxxxxxxx.yyyyyyyy',
    optional: true,
  }),
  SENDGRID_API_URL: url(['http:', 'https:'], {
    description: 'SendGrid API address',
    default: 'https://api.sendgrid.com',
  }),
  SMTP_URL: smtpUrl({
    description:
      'SMTP server that takes the mail; with credentials TLS is required unless it is on this machine (unset: the embedded inbox)',
    example: 'smtps://user:secret@smtp.example.com:465',
    optional: true,
  }),
  DELIVERY_TIMEOUT_MS: wholeNumber({
    description: 'Overall deadline of one delivery attempt, in milliseconds',
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
    description: 'Emails one worker delivers at once',
    default: 20,
    min: 1,
    max: 1000,
  }),
  DISPATCH_WINDOW: wholeNumber({
    description: 'Emails that have a job in Redis at once; the others wait in Postgres, organizations taking turns',
    default: 2_000,
    min: 10,
    max: 100_000,
  }),
  AMBIGUOUS_SEND: choice(['resend', 'hold'], {
    description: 'What happens to an email whose delivery may or may not have been accepted',
    default: 'resend',
  }),
  AMBIGUOUS_RESEND_AFTER_MS: wholeNumber({
    description: 'Wait before the one resend of an ambiguous delivery, in milliseconds',
    default: 180_000,
    min: 0,
    max: 86_400_000,
  }),
  SPOOL_DIRECTORY: text({
    description: 'Folder of the tracking edge for events that Redis does not take at once',
    default: '.mailbeacon/spool',
  }),
  SPOOL_MAX_BYTES: wholeNumber({
    description:
      'Bytes that SPOOL_DIRECTORY may hold, of all processes that share it; about 100 for an open or a click. Events beyond are lost',
    default: 10_000_000_000,
    min: 10_000_000,
    max: 10_000_000_000_000,
  }),
  EVENTS_PER_EMAIL_PER_MINUTE: wholeNumber({
    description:
      'Opens and clicks of one email, per minute and tracking process, that are stored and told one by one; further ones only count',
    default: 60,
    min: 1,
    max: 65_535,
  }),
  EVENT_RETENTION_MONTHS: wholeNumber({
    description:
      'Whole months before the present one whose single opens and clicks are kept; totals stay for ever (0: keep all)',
    default: 0,
    min: 0,
    max: 1200,
  }),
  DEAD_LETTER_RETENTION_DAYS: wholeNumber({
    description: 'Days for which events that could not be stored are kept (0: until somebody purges them)',
    default: 0,
    min: 0,
    max: 3650,
  }),
  ENCRYPTION_KEYS: encryptionKeys({
    description:
      'Keys that secrets are stored under, as id:base64,…: the first seals, all open (unset: made at the first start, where all roles run)',
    example: 'k2026:ZXhhbXBsZS1vbmx5LW1ha2UteW91ci1vd24ta2V5ISE=',
    optional: true,
  }),
  ...webhookVariables,
  ...domainVariables,
  RATE_LIMIT_PER_MINUTE: wholeNumber({
    description: 'Requests an organization may make per minute, in bursts or not (0: no limit)',
    default: 60_000,
    min: 0,
    max: 10_000_000,
  }),
  PLANS: text({
    description: 'Active campaigns per plan, as name=limit,… where an empty limit means none',
    default: 'free=10,pro=1000,unlimited=',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http:', 'https:'], {
    description: 'OpenTelemetry collector that traces of emails go to, by OTLP over HTTP (unset: no traces)',
    example: 'http://collector.internal:4318',
    optional: true,
  }),
  OTEL_TRACES_SAMPLER_ARG: fraction({
    description: 'Share of the emails that are traced',
    default: 1,
    example: '0.01',
  }),
  LOG_LEVEL: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], {
    description: 'Least severe log line written',
    default: 'info',
  }),
} satisfies Record<string, Variable<unknown>>;

export type VariableName = keyof typeof variables;

/** All settings, read and validated; the property names are the names of the environment variables. */
export type Settings = {
  readonly [Name in VariableName]: (typeof variables)[Name] extends Variable<infer Value> ? Value : never;
};

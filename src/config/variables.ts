import {
  domain,
  encryptionKeys,
  integer,
  oneOf,
  optionalInteger,
  roleSet,
  secret,
  servers,
  share,
  text,
  url,
  yesOrNo,
  type Variable,
} from './variable.js';

/** The four roles a process can take, in the order an email meets them. */
export const ROLES = ['api', 'tracking', 'worker', 'flusher'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Every setting there is: how it is read, what it is for and which roles need it.
 * `.env.example` and the documentation are checked against this table.
 */
export const variables = {
  ROLES: roleSet(ROLES, { description: 'Roles this process takes', default: [...ROLES] }),
  PORT: integer({ description: 'HTTP port', default: 3000, min: 0, max: 65535 }),
  HOST: text({ description: 'Address the HTTP server listens on', default: '0.0.0.0' }),
  OPERATOR_PORT: optionalInteger({
    description: 'Port of /metrics, the queue board and /health for operators (unset: the first free one from 9464 on)',
    example: '9464',
    optional: true,
    min: 0,
    max: 65535,
  }),
  OPERATOR_HOST: text({
    description: 'Address that the port for operators listens on: never one the public reaches',
    default: '127.0.0.1',
  }),
  OPERATOR_PASSWORD: secret({
    description: 'Password of the user operator for the queue board at /queues of that port (unset: no board)',
    example: 'correct-horse-battery-staple',
    optional: true,
  }),
  DRAIN_DELAY_MS: optionalInteger({
    description:
      'How long api and tracking go on serving once told to end, in milliseconds (unset: 5000, or 0 where all roles run)',
    example: '5000',
    optional: true,
    min: 0,
    max: 600_000,
  }),
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
  DATABASE_POOL_SIZE: integer({ description: 'Postgres connections per process', default: 10, min: 2, max: 500 }),
  REDIS_URL: url(['redis:', 'rediss:'], {
    description: 'Redis or Valkey 6.2 or newer, with noeviction and append-only persistence (unset: embedded)',
    example: 'redis://:secret@redis.internal:6379/0',
    optional: true,
  }),
  PLATFORM_SENDING_DOMAIN: domain({
    description: 'Domain that senders of unverified domains are rewritten to',
    default: 'mailbeacon.localhost',
    example: 'mail.example.com',
  }),
  DELIVERY_PROVIDER: oneOf(['smtp', 'sendgrid'], { description: 'Who delivers the mail', default: 'smtp' }),
  SENDGRID_API_KEY: secret({
    description: 'SendGrid API key with the mail.send permission (needed when DELIVERY_PROVIDER=sendgrid)',
    example: 'SG.xxxxxxxx.yyyyyyyy',
    optional: true,
  }),
  SENDGRID_API_URL: url(['http:', 'https:'], {
    description: 'SendGrid API address',
    default: 'https://api.sendgrid.com',
  }),
  SMTP_URL: url(['smtp:', 'smtps:'], {
    description: 'SMTP server that takes the mail (unset: the embedded inbox)',
    example: 'smtps://user:secret@smtp.example.com:465',
    optional: true,
  }),
  DELIVERY_TIMEOUT_MS: integer({
    description: 'Overall deadline of one delivery attempt, in milliseconds',
    default: 60_000,
    min: 100,
    max: 600_000,
  }),
  SEND_RESPONSE_TIMEOUT_MS: integer({
    description: 'How long POST /api/send waits for the delivery result, in milliseconds',
    default: 10_000,
    min: 0,
    max: 120_000,
  }),
  WORKER_CONCURRENCY: integer({ description: 'Emails one worker delivers at once', default: 20, min: 1, max: 1000 }),
  DISPATCH_WINDOW: integer({
    description: 'Emails that have a job in Redis at once; the others wait in Postgres, organizations taking turns',
    default: 2_000,
    min: 10,
    max: 100_000,
  }),
  AMBIGUOUS_SEND: oneOf(['resend', 'hold'], {
    description: 'What happens to an email whose delivery may or may not have been accepted',
    default: 'resend',
  }),
  AMBIGUOUS_RESEND_AFTER_MS: integer({
    description: 'Wait before the one resend of an ambiguous delivery, in milliseconds',
    default: 180_000,
    min: 0,
    max: 86_400_000,
  }),
  SPOOL_DIRECTORY: text({
    description: 'Folder of the tracking edge for events that Redis does not take at once',
    default: '.mailbeacon/spool',
  }),
  EVENT_RETENTION_MONTHS: integer({
    description:
      'Whole months before the present one whose single opens and clicks are kept; totals stay for ever (0: keep all)',
    default: 0,
    min: 0,
    max: 1200,
  }),
  DEAD_LETTER_RETENTION_DAYS: integer({
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
  WEBHOOK_ALLOW_PRIVATE_ADDRESSES: yesOrNo({
    description: 'Allow webhooks to private and loopback addresses',
    default: false,
  }),
  WEBHOOK_ALLOW_HTTP: yesOrNo({
    description: 'Allow webhooks to public addresses without TLS, where anybody on the way can read them',
    default: false,
  }),
  WEBHOOK_CONCURRENCY: integer({
    description: 'Webhook requests one worker makes at once; one endpoint gets at most a tenth of them',
    default: 100,
    min: 10,
    max: 10_000,
  }),
  WEBHOOK_RETENTION_DAYS: integer({
    description: 'Days for which webhook deliveries are kept, to be looked at and replayed',
    default: 30,
    min: 7,
    max: 3650,
  }),
  DNS_SERVERS: servers({
    description: "Resolvers asked about sending domains, as address:port,… (unset: the system's)",
    example: '1.1.1.1:53,[2606:4700:4700::1111]:53',
    optional: true,
  }),
  RATE_LIMIT_PER_MINUTE: integer({
    description: 'Requests an API key may make per minute, in bursts or not (0: no limit)',
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
  OTEL_TRACES_SAMPLER_ARG: share({ description: 'Share of the emails that are traced', default: 1, example: '0.01' }),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], {
    description: 'Least severe log line written',
    default: 'info',
  }),
} satisfies Record<string, Variable<unknown>>;

export type VariableName = keyof typeof variables;

/** All settings, read and validated; the property names are the names of the environment variables. */
export type Settings = {
  readonly [Name in VariableName]: (typeof variables)[Name] extends Variable<infer Value> ? Value : never;
};

import { wholeNumber, optionalInteger, optionalText, secret, text, type Variable } from './setting-types.js';

/** Where a process listens, and what its HTTP servers take. */
export const httpVariables = {
  PORT: wholeNumber({ description: 'HTTP port', default: 3000, min: 0, max: 65535 }),
  HOST: optionalText({
    description: 'Address the HTTP server listens on (unset: 127.0.0.1 with the embedded Postgres, else 0.0.0.0)',
    example: '0.0.0.0',
    optional: true,
  }),
  KEEP_ALIVE_TIMEOUT_MS: wholeNumber({
    description:
      'How long an idle HTTP connection stays open, in milliseconds: longer than the balancer in front keeps its own',
    default: 75_000,
    min: 1_000,
    max: 3_600_000,
  }),
  MAX_CONNECTIONS: wholeNumber({
    description: 'HTTP connections open at once; further ones are closed',
    default: 10_000,
    min: 10,
    max: 1_000_000,
  }),
  REQUEST_BODIES_MB: optionalInteger({
    description:
      'Memory that request bodies of a process may hold at once, in MB; beyond it requests are answered 503 (unset: an eighth of the heap)',
    example: '256',
    optional: true,
    min: 10,
    max: 100_000,
  }),
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
} satisfies Record<string, Variable<unknown>>;

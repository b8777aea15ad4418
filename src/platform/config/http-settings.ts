import { networkList } from './network-list.js';
import { wholeNumber, optionalInteger, optionalText, secret, text, type Variable } from './setting-types.js';

/** Listen addresses and limits of the HTTP servers. */
export const httpVariables = {
  PORT: wholeNumber({ description: 'HTTP port', default: 3000, min: 0, max: 65535 }),
  HOST: optionalText({
    description: 'Listen address of the HTTP server (unset: 127.0.0.1 with the embedded Postgres, otherwise 0.0.0.0)',
    example: '0.0.0.0',
    optional: true,
  }),
  KEEP_ALIVE_TIMEOUT_MS: wholeNumber({
    description:
      'Keep-alive timeout of idle HTTP connections, in milliseconds; must exceed the timeout of the load balancer',
    default: 75_000,
    min: 1_000,
    max: 3_600_000,
  }),
  MAX_CONNECTIONS: wholeNumber({
    description: 'Maximum number of open HTTP connections; further ones are closed',
    default: 10_000,
    min: 10,
    max: 1_000_000,
  }),
  LIVE_CONNECTIONS: wholeNumber({
    description: 'Maximum number of open connections of GET /api/live per process; further requests get 429',
    default: 2_000,
    min: 1,
    max: 1_000_000,
  }),
  LIVE_CONNECTIONS_PER_ORGANIZATION: wholeNumber({
    description: 'Maximum number of open connections of GET /api/live per organization and process',
    default: 50,
    min: 1,
    max: 1_000_000,
  }),
  TRUSTED_PROXIES: networkList({
    description:
      'Networks of the proxies in front of this service, whose X-Forwarded-For and Forwarded name the client; each proxy must overwrite or extend the header that it sets and remove the other (unset: none, the client address is that of the connection)',
    example: '10.0.0.0/8,fd00::/8',
  }),
  REQUEST_BODIES_MB: optionalInteger({
    description:
      'Memory limit for the request bodies and the unread responses of a process, in MB; requests beyond it get 503 (unset: an eighth of the heap)',
    example: '256',
    optional: true,
    min: 10,
    max: 100_000,
  }),
  OPERATOR_PORT: optionalInteger({
    description: 'Port of /metrics, /health and the queue board for operators (unset: the first free port from 9464)',
    example: '9464',
    optional: true,
    min: 0,
    max: 65535,
  }),
  OPERATOR_HOST: text({
    description: 'Listen address of the operator port; must not be publicly reachable',
    default: '127.0.0.1',
  }),
  OPERATOR_PASSWORD: secret({
    description: 'Password of user operator for the queue board at /queues on the operator port (unset: no board)',
    example: 'correct-horse-battery-staple',
    optional: true,
  }),
  DRAIN_DELAY_MS: optionalInteger({
    description:
      'How long api and tracking keep serving after SIGTERM, in milliseconds (unset: 5000, or 0 if all roles run)',
    example: '5000',
    optional: true,
    min: 0,
    max: 600_000,
  }),
} satisfies Record<string, Variable<unknown>>;

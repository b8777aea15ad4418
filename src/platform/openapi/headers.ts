import type { HeaderObject } from '@nestjs/swagger';
import { enumOf, string, integer, type Described } from './schemas.js';

type Headers = Record<string, HeaderObject>;

const header = (schema: Described): HeaderObject => ({ description: schema.description, schema });

/** Part of every response. */
export const requestIdHeader: Headers = {
  'X-Request-Id': header(
    string("Identifies the request in our logs: the client's own X-Request-Id, or a generated one", 'order-4711', {
      maxLength: 128,
    }),
  ),
};

/** Part of responses to requests with a valid key, unless limits are off or Redis is down. */
export const rateLimitHeaders: Headers = {
  RateLimit: header(
    string('Remaining requests (r) and seconds until one more is available (t)', '"default";r=59999;t=1'),
  ),
  'RateLimit-Policy': header(string('Requests allowed (q) per window of w seconds', '"default";q=60000;w=60')),
  'RateLimit-Limit': header(integer('Requests allowed per minute', 60_000)),
  'RateLimit-Remaining': header(integer('Remaining requests', 59_999)),
  'RateLimit-Reset': header(integer('Seconds until the full limit is available again', 1)),
};

export const retryAfterHeader: Headers = {
  'Retry-After': header(integer('Seconds to wait before retrying the request', 5)),
};

/** @param example a challenge */
export const challengeHeader = (example: string): Headers => ({
  'WWW-Authenticate': header(string('How to authenticate (RFC 9110, 11.6.1)', example)),
});

export const nextPageHeader: Headers = {
  Link: header(
    string(
      'URL of the next page (RFC 8288); absent on the last page',
      '</api/campaigns?cursor=WyIwMTkwIl0>; rel="next"',
    ),
  ),
};

export const replayedHeader: Headers = {
  'Idempotent-Replayed': header(
    enumOf(['true'], 'This response repeats the first one for the same Idempotency-Key', 'true'),
  ),
};

export const locationHeader: Headers = {
  Location: header(string('URL of the email', '/api/emails/0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77')),
};

import type { HeaderObject } from '@nestjs/swagger';
import { enumOf, string, integer, type Described } from './schemas.js';

type Headers = Record<string, HeaderObject>;

const header = (schema: Described): HeaderObject => ({ description: schema.description, schema });

/** Every answer has it. */
export const requestIdHeader: Headers = {
  'X-Request-Id': header(
    string("Names the request in our logs: the caller's own X-Request-Id, or a new one", 'order-4711', {
      maxLength: 128,
    }),
  ),
};

/** Answers to requests with a valid key, unless limits are off or Redis is away. */
export const rateLimitHeaders: Headers = {
  RateLimit: header(string('Requests left (r) and seconds until there is one more (t)', '"default";r=59999;t=1')),
  'RateLimit-Policy': header(string('Requests allowed (q) in so many seconds (w)', '"default";q=60000;w=60')),
  'RateLimit-Limit': header(integer('Requests allowed per minute', 60_000)),
  'RateLimit-Remaining': header(integer('Requests left', 59_999)),
  'RateLimit-Reset': header(integer('Seconds until all are there again', 1)),
};

export const retryAfterHeader: Headers = {
  'Retry-After': header(integer('Seconds after which the same request may have another answer', 5)),
};

export const nextPageHeader: Headers = {
  Link: header(
    string(
      'Where the next page is (RFC 8288); absent on the last page',
      '</api/campaigns?cursor=WyIwMTkwIl0>; rel="next"',
    ),
  ),
};

export const replayedHeader: Headers = {
  'Idempotent-Replayed': header(enumOf(['true'], 'This answer was given before, to the same Idempotency-Key', 'true')),
};

export const locationHeader: Headers = {
  Location: header(string('Where the email can be read', '/api/emails/0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77')),
};

import { smtpRefusalOf } from '../../../src/emails/submission/submission-reply.js';
import { RequestStillRunningError } from '../../../src/emails/idempotency/idempotency-errors.js';
import { DomainError, type DomainErrorKind } from '../../../src/platform/errors/domain-error.js';
import { TooManyRequestsError } from '../../../src/platform/http/too-many-requests-error.js';

const replyTo = (error: unknown) => {
  const { responseCode, message } = smtpRefusalOf(error)!;
  return `${responseCode} ${message}`;
};

it.each<[string, Error, string]>([
  [
    'too many requests',
    new TooManyRequestsError(
      { tokens: 60, windowMs: 60_000 },
      { remaining: 0, nextTokenInMs: 1_000, fullInMs: 60_000 },
    ),
    '450 4.7.1 Too many requests: please slow down (try again in 1 s)',
  ],
  [
    'the same message on another connection',
    new RequestStillRunningError(),
    '451 4.5.0 The first request with this Idempotency-Key is still running',
  ],
  ['an outage', new DomainError('unavailable', 'Not now'), '451 4.3.0 Not now'],
])('a client repeats its message after %s', (_, error, reply) => {
  expect(replyTo(error)).toBe(reply);
});

it.each<DomainErrorKind>(['invalid', 'unauthorized', 'forbidden', 'conflict', 'too-large', 'unprocessable'])(
  'a client does not repeat its message after an error of the kind %s',
  (kind) => expect(replyTo(new DomainError(kind, 'No'))).toMatch(/^5\d\d 5\.\d\.\d No$/),
);

it('a reply is one short line of ASCII', () => {
  expect(replyTo(new DomainError('invalid', 'bad\r\n250 Ok für dich'))).toBe('554 5.6.0 bad 250 Ok f r dich');
  expect(replyTo(new DomainError('invalid', 'x'.repeat(1_000)))).toBe(`554 5.6.0 ${'x'.repeat(400)}...`);
});

it('an error that nobody expected has no reply of its own', () => {
  expect(smtpRefusalOf(new Error('a detail of ours'))).toBeUndefined();
});

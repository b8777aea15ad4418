import type { ProviderResponse } from '../../../src/providers/http/provider-response.js';
import { resendOutcomeOf } from '../../../src/providers/resend/resend-response.js';
import { NOW } from './resend-bench.js';

const outcomeOf = (status: number, body?: unknown, more: Partial<ProviderResponse> = {}) =>
  resendOutcomeOf({ status, headers: {}, body, ...more }, 'ours@example.test', NOW);
const says = (name: string, message = 'Something is wrong') => ({ statusCode: 400, name, message });

it.each([
  [301, 'retry'],
  [400, 'refused'],
  [401, 'credential-refused'],
  [402, 'credential-refused'],
  [403, 'retry'],
  [404, 'credential-refused'],
  [405, 'credential-refused'],
  [408, 'ambiguous'],
  [409, 'ambiguous'],
  [413, 'refused'],
  [422, 'refused'],
  [429, 'throttled'],
  [451, 'refused'],
  [500, 'ambiguous'],
  [502, 'ambiguous'],
  [503, 'ambiguous'],
  [504, 'ambiguous'],
])('%i without a known error is %s', (status, kind) => {
  expect(outcomeOf(status)).toMatchObject({ kind });
});

it.each([
  [400, 'validation_error', 'The `subject` field is required.'],
  [400, 'invalid_idempotency_key', 'Idempotency keys must have between 1 and 256 characters.'],
  [422, 'validation_error', 'Invalid `to` field. The email address needs to follow the `email@example.com` format.'],
  [422, 'invalid_attachment', 'Attachment must have either a `content` or `path`.'],
  [422, 'missing_required_field', 'Missing `to` field.'],
  [451, 'security_error', 'The email payload contain invalid characters'],
])('%i %s refuses only this email: %s', (status, name, message) => {
  const reason = `Resend responded with ${status}: ${name}: ${message}`;
  expect(outcomeOf(status, says(name, message))).toEqual({ kind: 'refused', reason });
});

it.each([
  [403, 'validation_error', 'The acme.example domain is not verified. Please, add and verify your domain'],
  [403, 'validation_error', 'This API key is not authorized to send emails from acme.example'],
  [
    403,
    'validation_error',
    'You can only send testing emails to your own email address (ada@acme.example). To send emails to other recipients, please verify a domain at resend.com/domains, and change the `from` address to an email using this domain.',
  ],
  [
    403,
    'validation_error',
    'Testing domain restriction: The resend.dev domain is for testing and can only send to your own email address. To send to other recipients, verify a domain and update the from address to use it.',
  ],
  [422, 'invalid_from_address', 'Invalid from.'],
  [422, 'validation_error', 'Invalid `from` field. The email address needs to follow the `email@example.com` format.'],
])('%i %s refuses the sender, and holds no other mail: %s', (status, name, message) => {
  expect(outcomeOf(status, says(name, message))).toMatchObject({ kind: 'refused', about: 'sender' });
});

it.each([
  [400, 'validation_error', 'API key is invalid'],
  [401, 'validation_error', 'API key is invalid'],
  [401, 'missing_api_key', 'Missing API Key'],
  [401, 'restricted_api_key', 'This API key is restricted to only send emails'],
  [403, 'invalid_api_key', 'API key is invalid'],
  [403, 'invalid_api_Key', 'API key is invalid'],
  [403, 'suspended_api_key', 'This key is suspended'],
  [403, 'validation_error', 'Your account has been suspended'],
  [404, 'not_found', 'The requested endpoint does not exist'],
])('%i %s holds the credential: %s', (status, name, message) => {
  expect(outcomeOf(status, says(name, message))).toMatchObject({ kind: 'credential-refused' });
});

it.each(['invalid_idempotent_request', 'concurrent_idempotent_requests'])(
  '409 %s leaves the outcome of the earlier call unknown',
  (name) => {
    expect(outcomeOf(409, says(name))).toMatchObject({ kind: 'ambiguous' });
  },
);

it('403 for an unknown reason holds no credential and loses no mail', () => {
  expect(outcomeOf(403, says('validation_error'))).toMatchObject({ kind: 'retry' });
  expect(outcomeOf(403, `{"message":"${'x'.repeat(70_000)}`, { isCut: true })).toMatchObject({ kind: 'retry' });
});

it.each([400, 422])('%i with a body that was not read to its end loses no mail', (status) => {
  expect(outcomeOf(status, '{"statusCode":400,"mess', { isCut: true })).toMatchObject({ kind: 'retry' });
});

it.each<[string, Record<string, string>, number]>([
  ['rate_limit_exceeded', { 'retry-after': '7' }, 7_000],
  ['rate_limit_exceeded', { 'retry-after': '0' }, 1_000],
  ['rate_limit_exceeded', {}, 30_000],
  ['daily_quota_exceeded', { 'retry-after': '1' }, 900_000],
  ['monthly_quota_exceeded', {}, 900_000],
])('429 %s with %j pauses the credential', (name, headers, pauseMs) => {
  expect(outcomeOf(429, says(name), { headers })).toMatchObject({ kind: 'throttled', pauseMs });
});

it('interprets a page of a gateway by its status', () => {
  expect(outcomeOf(413, '<html><title>413</title></html>')).toEqual({
    kind: 'refused',
    reason: 'Resend responded with 413: Payload Too Large',
  });
});

it.each([null, 7, [], '', { message: 5 }, { name: 5 }, says('x', 'no\r\nway '.repeat(1000)), { id: 5 }, { id: '' }])(
  'takes any body: %j',
  (body) => {
    for (const status of [200, 400, 403, 409, 429, 500]) {
      const outcome = outcomeOf(status, body) as { reason?: string };
      expect(outcome.reason ?? 'Resend').toMatch(/^Resend[^\r\n]{0,494}$/);
    }
  },
);

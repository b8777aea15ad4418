import type { ProviderResponse } from '../../../src/providers/http/provider-response.js';
import { mailgunOutcome } from '../../../src/providers/mailgun/mailgun-response.js';
import { NOW } from './mailgun-bench.js';

const outcomeOf = (status: number, body?: unknown, more: Partial<ProviderResponse> = {}) =>
  mailgunOutcome({ status, headers: {}, body, ...more }, 'ours@example.test', NOW);
const says = (message: string) => ({ message });

it.each([400, 406, 409, 411, 413, 415, 422, 451])('%i is refused permanently', (status) => {
  expect(outcomeOf(status, says('Something is wrong'))).toEqual({
    kind: 'refused',
    reason: `Mailgun responded with ${status}: Something is wrong`,
  });
});

it.each([
  [301, 'retry'],
  [401, 'credential-refused'],
  [402, 'retry'],
  [403, 'credential-refused'],
  [404, 'credential-refused'],
  [405, 'credential-refused'],
  [408, 'ambiguous'],
  [420, 'throttled'],
  [429, 'throttled'],
  [500, 'ambiguous'],
  [502, 'ambiguous'],
  [503, 'ambiguous'],
  [504, 'ambiguous'],
  [520, 'ambiguous'],
])('%i is %s', (status, kind) => {
  expect(outcomeOf(status)).toMatchObject({ kind });
});

it.each([
  [400, 'Domain not found: mg.example.test'],
  [404, 'Domain not found: mg.example.test'],
  [400, 'Domain mg.example.test is not allowed to send: Please activate your Mailgun account.'],
  [403, 'Domain mg.example.test is not allowed to send: The domain is unverified and requires DNS configuration.'],
  [403, 'Domain mg.example.test is not allowed to send: The account has been temporarily disabled.'],
  [403, 'Forbidden'],
  [402, 'Your account has an unpaid balance'],
])('%i holds the credential: %s', (status, message) => {
  expect(outcomeOf(status, says(message))).toMatchObject({ kind: 'credential-refused' });
});

const SANDBOX =
  'Domain sandbox1.mailgun.org is not allowed to send: Sandbox subdomains are for test purposes only. Please add your own domain or add the address to authorized recipients in Account Settings.';

it.each([
  [403, SANDBOX],
  [403, 'Free accounts are for test purposes only. Please upgrade or add the address to authorized recipients.'],
  [400, SANDBOX],
  [400, "'to' parameter is not a valid address. please check documentation"],
  [400, '"x is not allowed to send" <a@b> is not a valid address'],
  [400, 'to parameter is not a valid address: Domain a.example not found'],
])('%i refuses only this email: %s', (status, message) => {
  expect(outcomeOf(status, says(message))).toMatchObject({ kind: 'refused' });
  expect(outcomeOf(status, says(message))).not.toHaveProperty('about');
});

it.each(["'from' parameter is not a valid address. please check documentation", 'from parameter is missing'])(
  '400 refuses the sender: %s',
  (message) => {
    expect(outcomeOf(400, says(message))).toMatchObject({ kind: 'refused', about: 'sender' });
  },
);

it.each([400, 403])('%i with a body that is too long to be read holds no credential and loses no mail', (status) => {
  expect(outcomeOf(status, `{"message":"${'x'.repeat(70_000)}`, { isCut: true })).toMatchObject({ kind: 'retry' });
});

it('a server that is not the API is a wrong address, not an acceptance', () => {
  expect(outcomeOf(200, 'Mailgun Magnificent API')).toMatchObject({ kind: 'credential-refused' });
  expect(outcomeOf(200, 'OK')).toMatchObject({ kind: 'accepted', providerId: 'ours@example.test' });
});

const LIMIT = 'Domain mg.example.test is not allowed to send: recipient limit exceeded';
const inAMinute = new Date(NOW + 60_000).toUTCString().replace('GMT', 'UTC');
it.each<[string, number, string, Record<string, string>, number]>([
  ['the time in the text', 420, `${LIMIT}, try again after ${inAMinute}`, {}, 60_000],
  ['such a text with 403', 403, `${LIMIT}, try again after ${inAMinute}`, {}, 60_000],
  ['a time in 2099', 420, `${LIMIT}, try again after Sat, 03 Jan 2099 00:00:00 UTC`, {}, 900_000],
  ['a time in the past', 420, `${LIMIT}, try again after Sat, 03 Jan 2015 00:00:00 UTC`, {}, 1_000],
  ['a number of seconds', 429, `${LIMIT}, try again after 120 seconds`, {}, 120_000],
  ['a number of seconds before Retry-After', 429, `${LIMIT}, try again after 1 second`, { 'retry-after': '7' }, 1_000],
  ['no time', 420, `${LIMIT}, try again after lunch`, {}, 30_000],
  ['Retry-After', 429, 'Too many requests', { 'retry-after': '7' }, 7_000],
  ['neither', 429, 'Too many requests', {}, 30_000],
])('pauses the credential by %s', (_, status, message, headers, pauseMs) => {
  expect(outcomeOf(status, says(message), { headers })).toMatchObject({ kind: 'throttled', pauseMs });
});

it('interprets a page of a gateway by its status', () => {
  expect(outcomeOf(413, '<html><title>413</title></html>')).toEqual({
    kind: 'refused',
    reason: 'Mailgun responded with 413: Payload Too Large',
  });
});

it('says the status instead of a long text, which is no sentence of the API', () => {
  expect(outcomeOf(401, 'Forbidden')).toMatchObject({ reason: 'Mailgun responded with 401: Forbidden' });
  expect(outcomeOf(401, 'x'.repeat(201))).toMatchObject({ reason: 'Mailgun responded with 401: Unauthorized' });
});

it.each([null, 7, [], '', { message: 5 }, { message: 'no\r\nway '.repeat(1000) }, { id: 5 }, { id: '<>' }])(
  'takes any body: %j',
  (body) => {
    for (const status of [200, 400, 403, 420, 500]) {
      const outcome = outcomeOf(status, body) as { reason?: string };
      expect(outcome.reason ?? 'Mailgun').toMatch(/^Mailgun[^\r\n]{0,493}$/);
    }
  },
);

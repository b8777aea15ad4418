import type { ProviderResponse } from '../../../src/providers/http/provider-response.js';
import { outcomeOfBatch } from '../../../src/providers/postmark/batch-response.js';
import { postmarkOutcome } from '../../../src/providers/postmark/postmark-response.js';
import { NOW } from './postmark-bench.js';
import { processorTime } from '../../support/processor-time.js';

const sent = { recipients: ['One@example.test', 'two@example.test'], messageId: 'ours@example.test' };
const outcomeOf = (status: number, body?: unknown, more: Partial<ProviderResponse> = {}) =>
  postmarkOutcome({ status, headers: {}, body, ...more }, sent, NOW);
const error = (code: number, message = 'Something is wrong') => ({ ErrorCode: code, Message: message });
const accepted = (message = 'OK') => ({ ...error(0, message), MessageID: 'pm-1', To: 'One@example.test' });

it.each([
  [10, 'credential-refused'],
  [11, 'refused'],
  [100, 'retry'],
  [101, 'ambiguous'],
  [300, 'refused'],
  [400, 'refused'],
  [401, 'refused'],
  [402, 'refused'],
  [403, 'refused'],
  [405, 'credential-refused'],
  [406, 'refused'],
  [409, 'refused'],
  [410, 'refused'],
  [411, 'refused'],
  [412, 'refused'],
  [413, 'credential-refused'],
  [422, 'credential-refused'],
  [429, 'throttled'],
  [1221, 'credential-refused'],
  [1226, 'credential-refused'],
  [1235, 'credential-refused'],
  [1236, 'credential-refused'],
  [1480, 'credential-refused'],
  [4711, 'refused'],
])('422 with the code %i is %s', (code, kind) => {
  expect(outcomeOf(422, error(code))).toMatchObject({
    kind,
    reason: `Postmark responded with 422: Something is wrong (code ${code})`,
  });
});

it.each([
  [301, undefined, 'retry'],
  [400, undefined, 'refused'],
  [401, undefined, 'credential-refused'],
  [402, undefined, 'credential-refused'],
  [403, '<html><h1>403 Forbidden</h1></html>', 'retry'],
  [404, undefined, 'credential-refused'],
  [405, undefined, 'credential-refused'],
  [408, undefined, 'ambiguous'],
  [413, '<html></html>', 'refused'],
  [415, undefined, 'refused'],
  [422, undefined, 'refused'],
  [429, undefined, 'throttled'],
  [500, error(101), 'ambiguous'],
  [502, undefined, 'ambiguous'],
  [503, error(100), 'retry'],
  [504, undefined, 'ambiguous'],
])('the status %i with the body %j is %s', (status, body, kind) => {
  expect(outcomeOf(status, body)).toMatchObject({ kind });
});

it.each([
  [400, "The 'From' address you supplied (a@acme.example) is not a Sender Signature on your account."],
  [401, "The 'From' address you supplied is not confirmed."],
  [300, "Invalid 'From' address: 'a@acme'."],
  [300, "Error parsing 'From': Illegal email domain 'acme' in address 'a@acme'."],
])('the code %i refuses the sender: %s', (code, message) => {
  expect(outcomeOf(422, error(code, message))).toMatchObject({ kind: 'refused', about: 'sender' });
});

it.each([
  [300, "Invalid 'To' address: 'From'."],
  [300, "Error parsing 'Reply-To': Illegal email address 'x'."],
  [406, 'You tried to send to a recipient that has been marked as inactive.'],
  [
    412,
    "While your account is pending approval, all recipient addresses must share the same domain as the 'From' address.",
  ],
])('the code %i refuses only this email: %s', (code, message) => {
  expect(outcomeOf(422, error(code, message))).not.toHaveProperty('about');
});

const INACTIVE =
  'Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.';

it('406 refuses each recipient', () => {
  const message = `You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: one@example.test, two@example.test. ${INACTIVE}`;
  const outcome = outcomeOf(422, error(406, message));
  const refused = { state: 'refused', reason: expect.stringContaining('inactive') };
  expect(outcome).toMatchObject({
    kind: 'refused',
    recipients: sent.recipients.map((address) => ({ address, ...refused })),
  });
});

it.each([
  `Message OK, but will not deliver to these inactive addresses: one@example.test. ${INACTIVE}`,
  'Message OK, but will not deliver to these inactive addresses: one@example.test',
])('an acceptance says which recipients are inactive: %s', (message) => {
  expect(outcomeOf(200, accepted(message))).toMatchObject({
    kind: 'accepted',
    providerId: 'pm-1',
    recipients: [
      { address: 'One@example.test', state: 'refused', reason: expect.stringContaining('suppression list') },
      { address: 'two@example.test', state: 'accepted' },
    ],
  });
});

it.each([
  ['blanks', ' ', 'x\ny'],
  ['repeated beginnings', 'inactive addresses:', 'x\ny'],
])('reads a sentence of %s in linear time', (_, repeated, end) => {
  const spentMs = processorTime();
  const message = `Found inactive addresses: ${repeated.repeat(60_000 / repeated.length)}${end}`;
  expect(outcomeOf(200, accepted(message))).toMatchObject({ kind: 'accepted' });
  // It takes milliseconds, but hours if blanks are tried in each position of three quantifiers.
  expect(spentMs()).toBeLessThan(5_000);
});

it.each([accepted(), accepted('Message accepted, but delivery may be delayed.'), { MessageID: 'pm-1' }])(
  'accepts for all: %j',
  (body) => {
    expect(outcomeOf(200, body)).toMatchObject({ kind: 'accepted', providerId: 'pm-1' });
    expect(outcomeOf(200, body)).not.toHaveProperty('recipients');
  },
);

it.each(['OK', '', null, [], { MessageID: 5 }])('without an ID, keeps our own: %j', (body) => {
  expect(outcomeOf(200, body)).toMatchObject({ kind: 'accepted', providerId: 'ours@example.test' });
});

it.each([400, 403, 404, 422])(
  '%i whose body is too long to be read holds no credential and loses no mail',
  (status) => {
    const body = `{"ErrorCode":10,"Message":"${'x'.repeat(70_000)}`;
    expect(outcomeOf(status, body, { isCut: true })).toMatchObject({ kind: 'retry' });
  },
);

it('waits as long as Postmark asks', () => {
  const headers = { 'retry-after': '7' };
  expect(outcomeOf(429, undefined, { headers })).toMatchObject({ kind: 'throttled', pauseMs: 7_000 });
  expect(outcomeOf(429)).toMatchObject({ kind: 'throttled', pauseMs: 30_000 });
  expect(outcomeOf(503, undefined, { headers })).toMatchObject({ kind: 'retry', afterMs: 7_000 });
});

it.each([null, 7, [], '', { ErrorCode: '10', Message: 5 }, error(300, 'no\r\nway '.repeat(1000))])(
  'takes any body: %j',
  (body) => {
    for (const status of [200, 400, 403, 422, 500]) {
      const outcome = outcomeOf(status, body) as { reason?: string };
      expect(outcome.reason ?? 'Postmark').toMatch(/^Postmark[^\r\n]{0,493}$/);
    }
  },
);

describe('a batch', () => {
  const batchOf = (body: unknown, status = 200, left: string[] = []) =>
    outcomeOfBatch({ status, headers: {}, body }, { ...sent, left }, NOW);
  const [one, two] = ['One@example.test', 'two@example.test'];
  const inactive = error(406, `Found inactive addresses: one@example.test. ${INACTIVE}`);

  it('is accepted if each message is', () => {
    const outcome = batchOf([accepted(), accepted()]);
    expect(outcome).toMatchObject({ kind: 'accepted', providerId: 'pm-1' });
    expect(outcome).not.toHaveProperty('recipients');
  });

  it.each([
    [inactive, { state: 'refused' }],
    [error(100), { state: 'deferred' }],
    [error(101), { state: 'deferred', isUnknown: true }],
    [error(405), { state: 'deferred' }],
    [error(429), { state: 'deferred' }],
  ])('says whose message was not accepted, or perhaps: %j', (result, expected) => {
    const outcome = batchOf([result, accepted()]);
    expect(outcome).toMatchObject({ kind: 'accepted' });
    const first = { address: one, reason: expect.any(String), ...expected };
    expect('recipients' in outcome && outcome.recipients).toEqual([first, { address: two, state: 'accepted' }]);
  });

  it('tries recipients again for whom there was no place', () => {
    const third = { address: 'three@example.test', state: 'deferred', reason: expect.stringContaining('50 MB') };
    expect(batchOf([accepted(), accepted()], 200, [third.address])).toMatchObject({
      recipients: [{ state: 'accepted' }, { state: 'accepted' }, third],
    });
    const refused = batchOf([inactive, inactive], 200, [third.address]);
    expect(refused).toMatchObject({ kind: 'retry', recipients: [{ address: one }, { address: two }] });
  });

  it.each<[unknown[], object]>([
    [[inactive, inactive], { kind: 'refused', recipients: [{ address: one }, { address: two }] }],
    [[error(400), error(400)], { kind: 'refused', about: 'sender' }],
    [[inactive, error(100)], { kind: 'retry', recipients: [{ address: one, state: 'refused' }] }],
    [[error(100), error(100)], { kind: 'retry' }],
    [[inactive, error(405)], { kind: 'credential-refused' }],
    [[error(429), inactive], { kind: 'throttled' }],
    [[error(100), error(101)], { kind: 'ambiguous' }],
    [[inactive, error(101)], { kind: 'ambiguous', recipients: [{ address: one, state: 'refused' }] }],
  ])('of which nothing was accepted: %j', (body, expected) => {
    expect(batchOf(body)).toMatchObject(expected);
  });

  it.each([undefined, '', null, {}, [], [accepted()], '[{"Err'])(
    'with an incomplete response is ambiguous: %j',
    (body) => {
      expect(batchOf(body)).toMatchObject({ kind: 'ambiguous' });
    },
  );

  it('fails as a whole with the status', () => {
    expect(batchOf(error(10), 401)).toMatchObject({ kind: 'credential-refused' });
    expect(batchOf(undefined, 413)).toMatchObject({ kind: 'refused' });
  });
});

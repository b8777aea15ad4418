import fc from 'fast-check';
import { parseMailgunEvent } from '../../../src/events/feedback/mailgun/parse-mailgun-event.js';
import type { RecipientEvent } from '../../../src/events/recipient-event.js';
import { timeOfUuidV7, uuidV7 } from '../../../src/platform/clock/uuid-v7.js';

const ACCEPTED_AT = Date.UTC(2026, 1, 12, 17, 42);
const SENT = 1770918175.5923693;
const emailId = uuidV7(ACCEPTED_AT);
const ours = { mailbeacon_email_id: emailId, mailbeacon_attempt: '1' };

/** An event with the fields that Mailgun documents. */
function fields(type: string, more: object = {}): Record<string, unknown> {
  return {
    event: type,
    id: '2kFItcrLQuKTdp-Ia2Xr7w',
    timestamp: SENT,
    flags: { 'is-authenticated': true, 'is-test-mode': false },
    message: {
      attachments: [],
      headers: {
        'message-id': '20260212174255.58bbb7ce85a423e5@acme.example',
        from: 'Sample Sender <sender@acme.example>',
        to: 'Reader@example.com',
        subject: 'Sample',
      },
      size: 384,
    },
    'log-level': 'info',
    recipient: 'Reader@example.com',
    'recipient-domain': 'example.com',
    tags: ['sample'],
    campaigns: [],
    envelope: { sender: 'sender@acme.example', targets: 'reader@example.com', transport: 'smtp' },
    'user-variables': ours,
    ...more,
  };
}

const failed = (reason: string, status: object = {}, severity = 'permanent'): Record<string, unknown> =>
  fields('failed', { severity, reason, 'delivery-status': status });

const outcomes = (value: unknown) => parseMailgunEvent(value).map(({ outcome }) => outcome);

function parse(value: unknown): RecipientEvent {
  const [outcome] = outcomes(value);
  if (typeof outcome !== 'object') throw new Error(outcome);
  return outcome;
}

it.each<[string, object, object]>([
  [
    'delivered',
    { 'delivery-status': { code: 250, message: 'OK', 'enhanced-code': null } },
    { fact: 'delivered', reason: 'OK' },
  ],
  ['complained', {}, { fact: 'complained' }],
  ['unsubscribed', { tags: ['*'] }, { fact: 'unsubscribed' }],
  [
    'rejected',
    { reject: { reason: 'Sandbox subdomains are for test purposes only', description: '' } },
    { fact: 'failed', reason: 'Sandbox subdomains are for test purposes only' },
  ],
  [
    'failed',
    {
      severity: 'temporary',
      reason: 'generic',
      'delivery-status': {
        code: 421,
        message: 'blacklisted, retry later',
        'retry-seconds': 600,
        'enhanced-code': null,
      },
    },
    { fact: 'deferred', reason: 'blacklisted, retry later' },
  ],
])('%s %j is a fact about the recipient', (type, more, expected) => {
  expect(parse(fields(type, more))).toMatchObject({
    type: 'recipient',
    email: emailId,
    recipient: 'Reader@example.com',
  });
  expect(parse(fields(type, more))).toMatchObject(expected);
});

it.each([
  ['bounce', { code: 550, 'enhanced-code': '5.1.1', message: '5.1.1 No such user', 'bounce-type': 'hard' }, 'hard'],
  ['bounce', { code: 550, 'enhanced-code': '5.5.0', message: '5.5.0 mailbox unavailable' }, 'hard'],
  ['bounce', { code: 550, 'enhanced-code': '', message: 'No Such User Here' }, 'hard'],
  ['bounce', { code: 498, message: 'No MX for nomx.example.com' }, 'hard'],
  ['delayed-bounce', {}, 'hard'],
  ['bounce', { code: 550, message: 'Mailbox busy', 'bounce-type': 'soft' }, 'soft'],
  ['delayed-bounce', { 'bounce-type': 'soft' }, 'soft'],
  ['bounce', { code: 550, 'enhanced-code': '5.1.1', 'bounce-type': 'soft' }, 'hard'],
  ['bounce', { code: 552, 'enhanced-code': '5.2.2', message: 'full' }, 'soft'],
  ['bounce', { code: 550, message: '5.7.1 Message blocked' }, 'soft'],
  ['generic', { code: 554, message: 'policy' }, 'soft'],
  ['generic', { code: 550, 'enhanced-code': '5.1.1' }, 'hard'],
  ['old', { code: 421, description: 'Too old' }, 'soft'],
  ['espblock', {}, 'soft'],
])('permanent failure, reason %s, %j is a %s bounce', (reason, status, bounce) => {
  expect(parse(failed(reason, status))).toMatchObject({ fact: 'bounced', bounce });
});

it.each([
  ['suppress-bounce', 605, 'bounce'],
  ['suppress-unsubscribe', 606, 'unsubscribe'],
  ['suppress-complaint', 607, 'complaint'],
])('%s and code %i are a suppression as %s', (reason, code, suppression) => {
  const description = 'Not delivering to previously bounced address';
  const expected = { fact: 'suppressed', suppression, reason: description };
  expect(parse(failed(reason, { description, message: '' }))).toMatchObject(expected);
  expect(parse(failed('generic', { description, message: '', code }))).toMatchObject(expected);
});

it.each([
  [fields('accepted'), 'processed'],
  [fields('opened'), 'engagement'],
  [fields('clicked', { url: 'https://e.co' }), 'engagement'],
  [fields('stored'), 'unknown-type'],
  [fields('other'), 'unknown-type'],
  [fields('delivered', { 'user-variables': [] }), 'not-ours'],
  [fields('delivered', { 'user-variables': { my_var_1: 'x' } }), 'not-ours'],
  [fields('delivered', { 'user-variables': { mailbeacon_email_id: null } }), 'not-ours'],
  [fields('delivered', { 'user-variables': { mailbeacon_email_id: 7 } }), 'malformed'],
  [fields('delivered', { 'user-variables': { mailbeacon_email_id: 'x' } }), 'malformed'],
  [fields('delivered', { recipient: 5 }), 'malformed'],
  [fields('delivered', { recipient: 'a\0@b.co' }), 'malformed'],
  [fields('delivered', { recipient: undefined, message: null }), 'malformed'],
  [failed('bounce', {}, 'unheard-of'), 'malformed'],
  [{ event: 5 }, 'malformed'],
  [[fields('delivered')], 'malformed'],
  [undefined, 'malformed'],
])('is ignored for a reason: %j', (value, reason) => {
  expect(outcomes(value)).toEqual([reason]);
});

it('without a recipient, becomes an event for each address of the To header', () => {
  const to = '"Doe, Jane" <jane@example.com>, Team: a@example.com, b@example.com;, jane@example.com';
  const events = outcomes(fields('rejected', { recipient: undefined, message: { headers: { to } } }));
  expect(events).toMatchObject(
    ['jane', 'a', 'b'].map((name) => ({ fact: 'failed', recipient: `${name}@example.com` })),
  );
  expect(new Set(events.map((one) => (one as RecipientEvent).id)).size).toBe(3);
});

it('has the same ID in a repeat, and another one for another recipient, type, ID or time', () => {
  const { id } = parse(fields('delivered'));
  expect(timeOfUuidV7(id)).toBe(Math.trunc(SENT * 1000));
  expect(parse({ ...fields('delivered'), tags: [], storage: { url: 'x' } }).id).toBe(id);
  const others = [
    fields('complained'),
    ...[{ recipient: 'b@example.com' }, { id: 'x' }, { timestamp: SENT + 86_400 }, { id: 5 }].map((more) =>
      fields('delivered', more),
    ),
  ];
  expect(new Set([id, ...others.map((other) => parse(other).id)]).size).toBe(6);
});

it('without an ID of Mailgun is identified by its content', () => {
  const without = failed('bounce', { message: 'No' });
  delete without.id;
  expect(parse(Object.fromEntries(Object.entries(without).reverse()))).toEqual(parse(without));
  expect(parse({ ...without, reason: 'generic' }).id).not.toBe(parse(without).id);
});

it('without an ID of Mailgun and with too many fields is malformed', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`field${at}`, at]));
  expect(parse({ ...failed('bounce'), ...many }).fact).toBe('bounced');
  const [event] = parseMailgunEvent({ ...failed('bounce'), ...many, id: undefined });
  expect(event!.outcome).toBe('malformed');
});

it.each([undefined, null, 'yesterday', String(SENT), -1, 0, 1e300, NaN, [SENT], SENT * 1000])(
  'with the invalid timestamp %j gets the time when its email was accepted',
  (timestamp) => {
    expect(timeOfUuidV7(parse(fields('delivered', { timestamp })).id)).toBe(ACCEPTED_AT);
  },
);

it('never throws, and yields only events with an email ID, an address and a reason of one line', () => {
  const anything = fc.anything({ withNullPrototype: true, maxDepth: 3 });
  const values = fc.oneof(anything, fc.string({ unit: 'binary' }), fc.constantFrom('a@b.co, <c@d.co>', 'x:;', '"'));
  const names = [...Object.keys(fields('failed')), 'severity', 'reason', 'delivery-status', 'reject'];
  const types = fc.constantFrom('delivered', 'failed', 'rejected', 'complained', 'unsubscribed');
  const headers = fc.record({ headers: fc.record({ to: values }) });
  const nearlyRight = fc
    .tuple(types, fc.dictionary(fc.constantFrom(...names), values), headers, fc.boolean())
    .map(([type, wrong, message, isWhole]) => ({
      ...{ ...fields(type), severity: 'permanent', 'delivery-status': { message: 'x' }, ...wrong },
      ...(isWhole && { recipient: undefined, message }),
    }));
  fc.assert(
    fc.property(fc.oneof(anything, nearlyRight), (value) => {
      for (const outcome of outcomes(value)) {
        if (typeof outcome === 'string') continue;
        expect(outcome.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(outcome.email).toMatch(/^[0-9a-f-]{36}$/);
        expect(String(outcome.recipient)).not.toBe('');
        expect(outcome.reason ?? '').toMatch(/^[^\n\0]{0,500}$/);
      }
      expect(outcomes(value)).toEqual(outcomes(value));
    }),
    { numRuns: 500 },
  );
});

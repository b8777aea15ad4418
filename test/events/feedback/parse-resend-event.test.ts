import fc from 'fast-check';
import { parseResendEvent } from '../../../src/events/feedback/resend/parse-resend-event.js';
import type { RecipientEvent } from '../../../src/events/recipient-event.js';
import { timeOfUuidV7, uuidV7 } from '../../../src/platform/clock/uuid-v7.js';

const ACCEPTED_AT = Date.UTC(2026, 10, 22, 23, 41, 11);
const CREATED_AT = '2026-11-22T23:41:12.126Z';
const emailId = uuidV7(ACCEPTED_AT);
const ours = { mailbeacon_email_id: emailId, mailbeacon_recipients: '1' };
const CALL = 'msg_2W2D3qXLS5fOaPja1GDg7rF2CwB';

/** An event with the fields that Resend documents. */
function event(type: string, more: object = {}, created: unknown = CREATED_AT): Record<string, unknown> {
  return {
    type,
    created_at: created,
    data: {
      broadcast_id: '8b146471-e88e-4322-86af-016cd36fd216',
      created_at: '2026-11-22T23:41:11.894719+00:00',
      email_id: '56761188-7520-42d8-8898-ff6fc54ce618',
      message_id: '<111-222-333@email.example.com>',
      from: 'Acme <onboarding@resend.dev>',
      to: ['delivered@resend.dev'],
      subject: 'Sending this example',
      tags: ours,
      ...more,
    },
  };
}

const outcomeOf = (value: unknown, id = CALL) => parseResendEvent(value, id).outcome;

function parse(value: unknown, id = CALL): RecipientEvent {
  const outcome = outcomeOf(value, id);
  if (typeof outcome !== 'object') throw new Error(outcome);
  return outcome;
}

const LISTED =
  'Resend has suppressed sending to this address because it is on the account-level suppression list. This does not count toward your bounce rate metric';

it.each<[string, object, object]>([
  ['email.delivered', {}, { fact: 'delivered' }],
  ['email.delivery_delayed', {}, { fact: 'deferred' }],
  ['email.complained', {}, { fact: 'complained' }],
  ['email.failed', { failed: { reason: 'reached_daily_quota' } }, { fact: 'failed', reason: 'reached_daily_quota' }],
  [
    'email.suppressed',
    { suppressed: { message: LISTED, type: 'OnAccountSuppressionList' } },
    { fact: 'suppressed', suppression: 'bounce', reason: LISTED },
  ],
  [
    'email.suppressed',
    { suppressed: { message: LISTED, type: 'OnAccountSuppressionList', reason: 'previous_complaint' } },
    { fact: 'suppressed', suppression: 'complaint', reason: LISTED },
  ],
  [
    'email.bounced',
    { bounce: { message: 'On the suppression list', subType: 'Suppressed', type: 'Permanent' } },
    { fact: 'suppressed', suppression: 'bounce', reason: 'On the suppression list' },
  ],
  [
    'email.bounced',
    {
      bounce: {
        ...{ message: 'A general bounce', subType: 'General', type: 'Permanent' },
        diagnosticCode: ['smtp; 550 5.1.1 No such user'],
      },
    },
    { fact: 'bounced', bounce: 'hard', smtpStatus: '5.1.1', reason: '550 5.1.1 No such user' },
  ],
])('%s %j', (type, more, meaning) => {
  expect(parse(event(type, more))).toEqual({
    type: 'recipient',
    id: expect.any(String),
    email: emailId,
    recipient: 'delivered@resend.dev',
    ...meaning,
  });
});

it.each<[object, string]>([
  [{ type: 'Permanent', subType: 'General' }, 'hard'],
  [{ type: 'Permanent', subType: 'NoEmail' }, 'hard'],
  [{ type: 'Permanent', diagnosticCode: ['smtp; 552 5.2.2 Mailbox full'] }, 'soft'],
  [{ type: 'Transient', subType: 'MailboxFull' }, 'soft'],
  [{ type: 'Transient', diagnosticCode: ['smtp; 550 5.1.1 No such user'] }, 'soft'],
  [{ type: 'Undetermined', subType: 'Undetermined' }, 'soft'],
  [{ type: 'Undetermined', diagnosticCode: '550 5.1.1 No such user' }, 'hard'],
  [{ diagnosticCode: [null] }, 'soft'],
  [{}, 'soft'],
])('a bounce of %j is %s', (bounce, kind) => {
  expect(parse(event('email.bounced', { bounce }))).toMatchObject({ fact: 'bounced', bounce: kind });
});

it('reads tags as an object or as a list', () => {
  const list = Object.entries(ours).map(([name, value]) => ({ name, value }));
  expect(parse(event('email.delivered', { tags: list }))).toEqual(parse(event('email.delivered')));
  expect(parse(event('email.delivered', { tags: [null, 5, { name: 'a' }, ...list] })).email).toBe(emailId);
});

it.each([
  ['delivered@resend.dev', 'delivered@resend.dev'],
  [['Reader <Reader@example.com>'], 'Reader@example.com'],
  [['"Doe, Jane" <jane@example.com>'], 'jane@example.com'],
])('reads the recipient of %j', (to, recipient) => {
  expect(parse(event('email.delivered', { to })).recipient).toBe(recipient);
});

it.each([
  [event('email.sent'), 'processed'],
  [event('email.scheduled'), 'processed'],
  [event('email.opened'), 'engagement'],
  [event('email.clicked'), 'engagement'],
  [event('email.received'), 'unknown-type'],
  [event('other'), 'unknown-type'],
  [event('email.bounced', { to: ['a@example.com', 'b@example.com'] }), 'several-recipients'],
  [event('email.bounced', { to: ['a@example.com, b@example.com'] }), 'several-recipients'],
  [event('email.bounced', { tags: { ...ours, mailbeacon_recipients: '2' } }), 'several-recipients'],
  [event('email.delivered', { tags: undefined }), 'not-ours'],
  [event('email.delivered', { tags: {} }), 'not-ours'],
  [event('email.delivered', { tags: [] }), 'not-ours'],
  [event('email.delivered', { tags: { category: 'welcome' } }), 'not-ours'],
  [event('email.delivered', { tags: { mailbeacon_email_id: 'x' } }), 'malformed'],
  [event('email.delivered', { to: [] }), 'malformed'],
  [event('email.delivered', { to: 5 }), 'malformed'],
  [event('email.delivered', { to: [`${'n'.repeat(2_000)} <a@example.com>`] }), 'malformed'],
  [event('email.delivered', { to: ['nobody'] }), 'malformed'],
  [event('email.delivered', { to: ['a\0@b.co'] }), 'malformed'],
  [{ type: 5 }, 'malformed'],
  [{ type: 'email.delivered' }, 'not-ours'],
  [[event('email.delivered')], 'malformed'],
  [undefined, 'malformed'],
])('is ignored for a reason: %j', (value, reason) => {
  expect(outcomeOf(value)).toBe(reason);
});

it('has the ID of its call, at the time of the event', () => {
  const { id } = parse(event('email.delivered'));
  expect(timeOfUuidV7(id)).toBe(Date.parse(CREATED_AT));
  expect(parse(event('email.delivered', { subject: 'x' })).id).toBe(id);
  expect(parse(event('email.delivered'), 'msg_other').id).not.toBe(id);
});

it.each([undefined, null, 'yesterday', 5, '1970-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])(
  'with the invalid time %j gets the time when its email was accepted',
  (created) => {
    expect(timeOfUuidV7(parse(event('email.delivered', {}, created === undefined ? 0 : created)).id)).toBe(ACCEPTED_AT);
  },
);

it('never throws, and yields only events with an email ID, an address and a reason of one line', () => {
  const anything = fc.anything({ withNullPrototype: true, maxDepth: 3 });
  const values = fc.oneof(anything, fc.string({ unit: 'binary' }), fc.constantFrom('a@b.co, <c@d.co>', 'x:;', '"'));
  const types = fc.constantFrom('email.delivered', 'email.bounced', 'email.failed', 'email.suppressed', 'email.sent');
  const names = ['to', 'tags', 'bounce', 'failed', 'suppressed', 'created_at'];
  const details = fc.dictionary(fc.constantFrom('type', 'subType', 'message', 'reason', 'diagnosticCode'), values);
  const nearlyRight = fc
    .tuple(types, fc.dictionary(fc.constantFrom(...names), values), details, values)
    .map(([type, wrong, bounce, created]) => event(type, { bounce, ...wrong }, created));
  fc.assert(
    fc.property(fc.oneof(anything, nearlyRight), fc.string(), (value, id) => {
      const outcome = outcomeOf(value, id);
      expect(outcomeOf(value, id)).toEqual(outcome);
      if (typeof outcome === 'string') return;
      expect(outcome.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(outcome.email).toMatch(/^[0-9a-f-]{36}$/);
      expect(String(outcome.recipient)).toContain('@');
      expect(outcome.reason ?? '').toMatch(/^[^\n\0]{0,500}$/);
    }),
    { numRuns: 500 },
  );
});

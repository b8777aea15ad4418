import fc from 'fast-check';
import { parsePostmarkEvent } from '../../../src/events/feedback/postmark/parse-postmark-event.js';
import type { RecipientEvent } from '../../../src/events/recipient-event.js';
import { timeOfUuidV7, uuidV7 } from '../../../src/platform/clock/uuid-v7.js';

const ACCEPTED_AT = Date.UTC(2026, 1, 12, 17, 42);
const emailId = uuidV7(ACCEPTED_AT);
const Metadata = { mailbeacon_email_id: emailId, mailbeacon_attempt: '1' };
const MessageID = '883953f4-6105-42a2-a16a-77a8eac79483';
const common = { ServerID: 23, MessageStream: 'outbound', MessageID, Tag: 'welcome-email', Metadata };

/** Events with the fields that Postmark documents. */
const delivery = (more: object = {}) => ({
  RecordType: 'Delivery',
  ...common,
  Recipient: 'Reader@example.com',
  DeliveredAt: '2026-02-12T17:43:34.9070259Z',
  Details: 'Test delivery webhook details',
  ...more,
});
const bounce = (Type: string, more: object = {}) => ({
  RecordType: 'Bounce',
  ...common,
  ID: 42,
  Type,
  TypeCode: 1,
  Name: 'Hard bounce',
  Description: 'The server was unable to deliver your message (ex: unknown user, mailbox not found).',
  Details: 'Test bounce details',
  Email: 'Reader@example.com',
  From: 'sender@acme.example',
  BouncedAt: '2026-02-12T12:43:34.9070259-05:00',
  DumpAvailable: true,
  Inactive: false,
  CanActivate: true,
  Subject: 'Test subject',
  ...more,
});
const complaint = (more: object = {}) => ({ ...bounce('SpamComplaint', more), RecordType: 'SpamComplaint' });
const change = (more: object = {}) => ({
  RecordType: 'SubscriptionChange',
  ...common,
  ChangedAt: '2026-02-13T10:53:34.416071Z',
  Recipient: 'Reader@example.com',
  Origin: 'Recipient',
  SuppressSending: true,
  SuppressionReason: 'ManualSuppression',
  ...more,
});

function parse(value: unknown): RecipientEvent {
  const { outcome } = parsePostmarkEvent(value);
  if (typeof outcome !== 'object') throw new Error(outcome);
  return outcome;
}

it.each<[object, object]>([
  [delivery(), { fact: 'delivered', reason: 'Test delivery webhook details' }],
  [
    bounce('HardBounce', { Inactive: true, Details: 'smtp;550 5.1.1 No such user' }),
    { fact: 'bounced', bounce: 'hard', smtpStatus: '5.1.1', reason: '550 5.1.1 No such user' },
  ],
  [bounce('Transient', { Details: '' }), { fact: 'deferred', reason: expect.stringMatching(/^The server was unable/) }],
  [complaint(), { fact: 'complained' }],
  [change(), { fact: 'unsubscribed' }],
  [change({ Origin: 'Customer' }), { fact: 'noted' }],
  [change({ Origin: 'Admin' }), { fact: 'noted' }],
  [change({ SuppressSending: false, SuppressionReason: null }), { fact: 'resubscribed' }],
  [change({ SuppressSending: false, SuppressionReason: null, Origin: 'Customer' }), { fact: 'noted' }],
])('%j is a fact about the recipient', (event, expected) => {
  const ours = { type: 'recipient', email: emailId, recipient: 'Reader@example.com' };
  expect(parse(event)).toMatchObject({ ...ours, ...expected });
});

it.each<[string, string, object, string | undefined]>([
  ['HardBounce', 'bounced', {}, 'hard'],
  ['Transient', 'deferred', {}, undefined],
  ['Unsubscribe', 'unsubscribed', {}, undefined],
  ['Subscribe', 'noted', {}, undefined],
  ['AutoResponder', 'noted', {}, undefined],
  ['AddressChange', 'noted', {}, undefined],
  ['DnsError', 'bounced', {}, 'soft'],
  ['SpamNotification', 'bounced', {}, 'soft'],
  ['OpenRelayTest', 'noted', {}, undefined],
  ['Unknown', 'bounced', {}, 'soft'],
  ['SoftBounce', 'bounced', {}, 'soft'],
  ['VirusNotification', 'bounced', {}, 'soft'],
  ['ChallengeVerification', 'noted', {}, undefined],
  ['BadEmailAddress', 'bounced', {}, 'hard'],
  ['SpamComplaint', 'complained', {}, undefined],
  ['ManuallyDeactivated', 'noted', {}, undefined],
  ['Unconfirmed', 'noted', {}, undefined],
  ['Blocked', 'bounced', {}, 'soft'],
  ['SMTPApiError', 'failed', {}, undefined],
  ['InboundError', 'noted', {}, undefined],
  ['DMARCPolicy', 'bounced', {}, 'soft'],
  ['TemplateRenderingFailed', 'failed', {}, undefined],
  ['Novel', 'bounced', {}, 'soft'],
  ['Novel', 'bounced', { Inactive: true }, 'hard'],
  ['SoftBounce', 'bounced', { Details: 'smtp;550 5.1.1 gone' }, 'hard'],
  ['DnsError', 'bounced', { Details: 'smtp; 550 5.1.2 bad domain' }, 'hard'],
  ['Unknown', 'bounced', { Details: '550 5.1.1 gone' }, 'hard'],
  ['Blocked', 'bounced', { Details: '550 5.1.1 blocked' }, 'soft'],
  ['HardBounce', 'bounced', { Details: 'smtp;552 5.2.2 full' }, 'hard'],
])('a bounce of the type %s is %s %j', (type, fact, more, kind) => {
  const { bounce: found, ...event } = parse(bounce(type, more));
  expect([event.fact, found]).toEqual([fact, kind]);
});

it.each<[unknown, string]>([
  [{ ...delivery(), RecordType: 'Open' }, 'engagement'],
  [{ ...delivery(), RecordType: 'Click' }, 'engagement'],
  [{ ...delivery(), RecordType: 'Inbound' }, 'unknown-type'],
  [{ ...delivery(), RecordType: 'other' }, 'unknown-type'],
  [change({ SuppressionReason: 'HardBounce' }), 'repeated'],
  [change({ SuppressionReason: 'SpamComplaint', Origin: 'Recipient' }), 'repeated'],
  [change({ SuppressSending: false, Metadata: {}, MessageID: null }), 'not-ours'],
  [delivery({ Metadata: undefined }), 'not-ours'],
  [delivery({ Metadata: { example: 'value' } }), 'not-ours'],
  [delivery({ Metadata: { mailbeacon_email_id: 7 } }), 'malformed'],
  [delivery({ Metadata: { mailbeacon_email_id: 'x' } }), 'malformed'],
  [delivery({ Recipient: 5 }), 'malformed'],
  [delivery({ Recipient: 'a\0@b.co' }), 'malformed'],
  [bounce('HardBounce', { Type: 1 }), 'malformed'],
  [change({ SuppressSending: 'yes' }), 'malformed'],
  [{ ...delivery(), RecordType: 5 }, 'malformed'],
  [[delivery()], 'malformed'],
  [undefined, 'malformed'],
])('is ignored for a reason: %j', (value, reason) => {
  expect(parsePostmarkEvent(value).outcome).toBe(reason);
});

it('has the same ID in a repeat, and another one for another recipient, type, ID or time', () => {
  const { id } = parse(bounce('SoftBounce'));
  expect(timeOfUuidV7(id)).toBe(Date.UTC(2026, 1, 12, 17, 43, 34, 907));
  expect(parse({ ...bounce('SoftBounce'), Tag: 'x', Subject: 'x', CanActivate: false }).id).toBe(id);
  const others = [
    complaint(),
    delivery(),
    ...[{ Email: 'b@example.com' }, { ID: 43 }, { Type: 'Transient' }, { BouncedAt: '2026-02-14T00:00:00Z' }].map(
      (more) => bounce('SoftBounce', more),
    ),
  ];
  expect(new Set([id, ...others.map((other) => parse(other).id)]).size).toBe(7);
  const again = change({ ChangedAt: '2026-02-15T00:00:00Z' });
  expect(parse(again).id).not.toBe(parse(change()).id);
});

it.each([undefined, null, 'yesterday', '', 1770918175, '1970-01-01T00:00:00Z', '9999-01-01T00:00:00Z'])(
  'with the invalid time %j gets the time when its email was accepted',
  (DeliveredAt) => {
    expect(timeOfUuidV7(parse(delivery({ DeliveredAt })).id)).toBe(ACCEPTED_AT);
  },
);

it('never throws, and yields only events with an email ID, an address and a reason of one line', () => {
  const anything = fc.anything({ withNullPrototype: true, maxDepth: 3 });
  const values = fc.oneof(anything, fc.string({ unit: 'binary' }), fc.constantFrom('Recipient', 'HardBounce', true));
  const names = [...new Set([delivery(), bounce('HardBounce'), change()].flatMap(Object.keys))];
  const nearlyRight = fc
    .tuple(
      fc.constantFrom(delivery(), bounce('HardBounce'), complaint(), change()),
      fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 3 }),
    )
    .map(([event, wrong]) => ({ ...event, ...wrong }));
  fc.assert(
    fc.property(fc.oneof(anything, nearlyRight), (value) => {
      const { outcome } = parsePostmarkEvent(value);
      expect(parsePostmarkEvent(value)).toEqual(parsePostmarkEvent(value));
      if (typeof outcome === 'string') return;
      expect(outcome.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(outcome.email).toMatch(/^[0-9a-f-]{36}$/);
      expect(String(outcome.recipient)).not.toBe('');
      expect(outcome.reason ?? '').toMatch(/^[^\n\0]{0,500}$/);
    }),
    { numRuns: 500 },
  );
});

import fc from 'fast-check';
import type { RecipientEvent } from '../../../src/events/recipient-event.js';
import { parseSesEvent } from '../../../src/events/feedback/ses/parse-ses-event.js';
import { timeOfUuidV7, uuidV7 } from '../../../src/platform/clock/uuid-v7.js';

const ACCEPTED_AT = Date.UTC(2026, 2, 1, 9, 30);
const emailId = uuidV7(ACCEPTED_AT);
const AT = '2026-03-01T09:31:02.669Z';
const mail = {
  timestamp: '2026-03-01T09:30:02.012Z',
  messageId: 'EXAMPLE7c191be45-000000',
  destination: ['one@example.com', 'two@example.com'],
  tags: { 'ses:configuration-set': ['mail'], mailbeacon_email_id: [emailId], mailbeacon_attempt: ['1'] },
};

const outcomes = (value: unknown) => parseSesEvent(value).map(({ outcome }) => outcome);
const event = (eventType: string, more: object = {}) => ({ eventType, mail, ...more });
const bounce = (bounceType: string, bounceSubType: string, recipient: object = {}) =>
  event('Bounce', {
    bounce: {
      ...{ bounceType, bounceSubType, timestamp: AT, feedbackId: '01000157-000000' },
      bouncedRecipients: [{ emailAddress: 'one@example.com', action: 'failed', ...recipient }],
    },
  });
const complaint = (complaintSubType: string | null, complaintFeedbackType: string | null = 'abuse') => ({
  ...event('Complaint'),
  complaint: {
    ...{ complainedRecipients: [{ emailAddress: 'one@example.com' }], timestamp: AT, feedbackId: 'f' },
    ...{ complaintFeedbackType, complaintSubType },
  },
});
const MANY_FIELDS = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`field${at}`, at]));
const UNKNOWN = { status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' };

it.each<[string, object, object]>([
  [
    'a delivery',
    event('Delivery', {
      delivery: {
        ...{ timestamp: AT, processingTimeMillis: 11893, recipients: ['one@example.com'] },
        ...{ smtpResponse: '250 2.6.0 Message received', reportingMTA: 'mta.example.com' },
      },
    }),
    { fact: 'delivered', smtpStatus: '2.6.0', reason: '250 2.6.0 Message received' },
  ],
  [
    'a delay',
    event('DeliveryDelay', {
      deliveryDelay: {
        ...{ timestamp: AT, delayType: 'TransientCommunicationFailure' },
        delayedRecipients: [
          { emailAddress: 'one@example.com', status: '4.4.1', diagnosticCode: 'smtp; 421 4.4.1 Unable to connect' },
        ],
      },
    }),
    { fact: 'deferred', smtpStatus: '4.4.1', reason: '421 4.4.1 Unable to connect' },
  ],
  [
    'a permanent bounce',
    bounce('Permanent', 'General', UNKNOWN),
    { fact: 'bounced', bounce: 'hard', smtpStatus: '5.1.1', reason: '550 5.1.1 user unknown' },
  ],
  ['a permanent bounce without a status', bounce('Permanent', 'NoEmail'), { fact: 'bounced', bounce: 'hard' }],
  ['a permanent bounce by policy', bounce('Permanent', 'General', { status: '5.7.1' }), { bounce: 'soft' }],
  ['a transient bounce', bounce('Transient', 'MailboxFull'), { fact: 'bounced', bounce: 'soft' }],
  ['a transient bounce with a permanent status', bounce('Transient', 'General', UNKNOWN), { bounce: 'soft' }],
  ['an undetermined bounce', bounce('Undetermined', 'Undetermined'), { fact: 'bounced', bounce: 'soft' }],
  ['an undetermined bounce with a status', bounce('Undetermined', 'Undetermined', UNKNOWN), { bounce: 'hard' }],
  ['a suppressed address', bounce('Permanent', 'Suppressed', UNKNOWN), { fact: 'suppressed', suppression: 'bounce' }],
  [
    'one of the account',
    bounce('Permanent', 'OnAccountSuppressionList'),
    { fact: 'suppressed', suppression: 'bounce' },
  ],
  ['an unsubscribed one', bounce('Permanent', 'UnsubscribedRecipient'), { suppression: 'unsubscribe' }],
  ['a complaint', complaint(null), { fact: 'complained', reason: 'abuse' }],
  ['a correction that it is no spam', complaint(null, 'Not-Spam'), { fact: 'noted', reason: 'Not-Spam' }],
  ['a report about authentication', complaint(null, 'auth-failure'), { fact: 'noted' }],
  ['a complaint without a kind', complaint(null, null), { fact: 'complained' }],
  ['a complaint of an unknown kind', complaint(null, 'opt-out'), { fact: 'complained' }],
  ['an earlier complaint', complaint('OnAccountSuppressionList'), { fact: 'suppressed', suppression: 'complaint' }],
])('%s', (_, value, meaning) => {
  const [outcome, ...others] = outcomes(value);
  expect(outcome).toMatchObject({ type: 'recipient', email: emailId, recipient: 'one@example.com', ...meaning });
  expect(others).toEqual([]);
  expect(timeOfUuidV7((outcome as { id: string }).id)).toBe(Date.parse(AT));
});

it('is one complaint of all that it names, of whom SES does not know who complained', () => {
  const named = (...addresses: string[]) => {
    const value = complaint(null);
    const complainedRecipients = addresses.map((emailAddress) => ({ emailAddress }));
    return outcomes({ ...value, complaint: { ...value.complaint, complainedRecipients } }) as RecipientEvent[];
  };
  const reason = 'abuse of one of 3 recipients: Amazon SES does not say which';
  const suspected = { fact: 'noted', suppression: 'complaint', reason };
  const found = named('two@example.com', 'One@example.com', 'three@example.com');
  expect(found).toMatchObject([
    { recipient: 'two@example.com', ...suspected },
    { recipient: 'One@example.com', fact: 'complained', reason },
    { recipient: 'three@example.com', ...suspected },
  ]);
  const repeated = named('One@example.com', 'three@example.com', 'two@example.com');
  expect(new Set(repeated.map(({ id, fact }) => `${id} ${fact}`))).toEqual(
    new Set(found.map(({ id, fact }) => `${id} ${fact}`)),
  );
  expect(named('one@example.com', 'ONE@example.com')).toMatchObject([{ fact: 'complained' }, { fact: 'complained' }]);
});

it('is about the only recipient of the message, whatever address the receiving server names', () => {
  const only = { ...mail, destination: ['one@example.com'], tags: { ...mail.tags, mailbeacon_recipient: ['3'] } };
  const forwarded = bounce('Permanent', 'General', { ...UNKNOWN, emailAddress: 'forwarded@other.example' });
  expect(outcomes({ ...forwarded, mail: only })).toMatchObject([{ recipient: 3, fact: 'bounced', bounce: 'hard' }]);
  const two = [{ emailAddress: 'a@other.example' }, { emailAddress: 'b@other.example' }];
  const both = { ...forwarded, mail: only, bounce: { bounceType: 'Permanent', bouncedRecipients: two } };
  expect(outcomes(both)).toMatchObject([{ recipient: 3 }]);
});

it.each(['', '-1', '1.5', 'x', '99999'])('is about the address that it names if the position is %j', (position) => {
  const value = bounce('Permanent', 'General');
  const tags = { ...mail.tags, mailbeacon_recipient: [position] };
  expect(outcomes({ ...value, mail: { ...mail, tags } })).toMatchObject([{ recipient: 'one@example.com' }]);
});

it.each<[string, object, object]>([
  ['Reject', event('Reject', { reject: { reason: 'Bad content' } }), { fact: 'failed', reason: 'Bad content' }],
  [
    'Rendering Failure',
    event('Rendering Failure', { failure: { errorMessage: 'Attribute is not present', templateName: 'T' } }),
    { fact: 'failed', reason: 'Attribute is not present' },
  ],
  [
    'Subscription',
    event('Subscription', {
      subscription: { contactList: 'C', timestamp: AT, source: 'Web', newTopicPreferences: { unsubscribeAll: true } },
    }),
    { fact: 'unsubscribed' },
  ],
])('%s concerns each recipient of the message, under a separate ID', (_, value, meaning) => {
  const found = outcomes(value) as { id: string }[];
  expect(found).toMatchObject([
    { recipient: 'one@example.com', ...meaning },
    { recipient: 'two@example.com', ...meaning },
  ]);
  expect(new Set(found.map(({ id }) => id)).size).toBe(2);
  expect(outcomes(value)).toEqual(found);
});

it.each<[string, unknown]>([
  ['sent', event('Send', { send: {} })],
  ['engagement', event('Open', { open: {} })],
  ['engagement', event('Click', { click: {} })],
  ['preferences', event('Subscription', { subscription: { newTopicPreferences: { unsubscribeAll: false } } })],
  ['not-ours', { ...bounce('Permanent', 'General'), mail: { ...mail, tags: {} } }],
  ['not-ours', { ...bounce('Permanent', 'General'), mail: undefined }],
  ['malformed', { ...bounce('Permanent', 'General'), mail: { ...mail, tags: { mailbeacon_email_id: ['x'] } } }],
  ['malformed', event('Delivery', { delivery: { ...MANY_FIELDS, recipients: ['one@example.com'] } })],
  ['malformed', event('Bounce')],
  ['malformed', event('Delivery', { delivery: { recipients: Array.from({ length: 101 }, () => 'a@example.com') } })],
  ['malformed', event('Delivery', { delivery: { recipients: [5] } })],
  ['unknown-type', event('New')],
  ['malformed', {}],
  ['malformed', null],
])('is ignored as %s', (reason, value) => {
  expect(outcomes(value)).toEqual([reason]);
});

it('never throws', () => {
  const types = ['Delivery', 'DeliveryDelay', 'Bounce', 'Complaint', 'Reject', 'Rendering Failure', 'Subscription'];
  const some = fc.object({
    key: fc.constantFrom('timestamp', 'recipients', 'bouncedRecipients', 'emailAddress', 'newTopicPreferences', 'x'),
    maxDepth: 3,
  });
  const fields = fc.record({
    eventType: fc.constantFrom(...types),
    mail: fc.oneof(fc.constant(mail), some),
    ...{ bounce: some, complaint: some, delivery: some, deliveryDelay: some, subscription: some, reject: some },
  });
  fc.assert(fc.property(fc.oneof(fields, fc.anything()), (value) => void parseSesEvent(value)));
});

import fc from 'fast-check';
import { parseSendGridEvent } from '../../../src/events/feedback/sendgrid/parse-sendgrid-event.js';
import type { RecipientEvent } from '../../../src/events/recipient-event.js';
import { timeOfUuidV7, uuidV7 } from '../../../src/platform/clock/uuid-v7.js';

const ACCEPTED_AT = Date.UTC(2026, 2, 1, 9, 30);
const SENT = ACCEPTED_AT / 1000 + 1;
const emailId = uuidV7(ACCEPTED_AT);

function fields(type: string, more: object = {}): Record<string, unknown> {
  return {
    email: 'Reader@example.com',
    timestamp: SENT,
    event: type,
    sg_event_id: `id-of-${type}`,
    mailbeacon_email_id: emailId,
    ...more,
  };
}

function parse(type: string, more: object = {}): RecipientEvent {
  const { outcome } = parseSendGridEvent(fields(type, more));
  if (typeof outcome === 'string') throw new Error(outcome);
  return outcome;
}

const ignored = (value: unknown) => parseSendGridEvent(value).outcome;

describe('an event of SendGrid', () => {
  it.each([
    [
      'deferred',
      { response: '450 4.7.1 try later' },
      { fact: 'deferred', smtpStatus: '4.7.1', reason: '450 4.7.1 try later' },
    ],
    ['delivered', { response: '250 OK' }, { fact: 'delivered', reason: '250 OK' }],
    ['spamreport', {}, { fact: 'complained' }],
    ['unsubscribe', {}, { fact: 'unsubscribed' }],
    ['group_unsubscribe', { asm_group_id: 7 }, { fact: 'unsubscribed' }],
    ['group_resubscribe', { asm_group_id: 7 }, { fact: 'resubscribed' }],
    ['dropped', { reason: 'Bounced Address' }, { fact: 'suppressed', suppression: 'bounce' }],
    ['dropped', { reason: 'Spam Reporting Address' }, { fact: 'suppressed', suppression: 'complaint' }],
    ['dropped', { reason: 'Unsubscribed Address' }, { fact: 'suppressed', suppression: 'unsubscribe' }],
    ['dropped', { reason: 'Invalid' }, { fact: 'suppressed', suppression: 'bounce' }],
    ['dropped', { reason: 'Invalid SMTPAPI header' }, { fact: 'failed' }],
    ['dropped', {}, { fact: 'failed' }],
  ])('%s %j maps to a fact about the recipient', (type, more, expected) => {
    expect(parse(type, more)).toMatchObject({ type: 'recipient', email: emailId, recipient: 'Reader@example.com' });
    expect(parse(type, more)).toMatchObject(expected);
  });

  it.each([
    [{ type: 'bounce', status: '5.1.1' }, 'hard'],
    [{ type: 'bounce' }, 'hard'],
    [{ type: 'bounce', status: null, reason: '500 unknown recipient' }, 'hard'],
    [{ type: 'bounce', status: '5.0.0' }, 'hard'],
    [{ type: 'bounce', status: '5.2.1' }, 'hard'],
    [{ type: 'bounce', status: '5.4.4' }, 'hard'],
    [{ status: '5.1.1' }, 'hard'],
    [{ type: 'bounce', status: '5.2.2' }, 'soft'],
    [{ type: 'bounce', status: '5.2.121' }, 'soft'],
    [{ type: 'bounce', status: '5.2.122' }, 'soft'],
    [{ type: 'bounce', status: '5.3.4' }, 'soft'],
    [{ type: 'bounce', status: '5.7.1' }, 'soft'],
    [{ type: 'bounce', status: '4.4.7' }, 'soft'],
    [{ type: 'bounce', status: '5.1.7' }, 'soft'],
    [{ type: 'bounce', status: '5.1.8' }, 'soft'],
    [{ type: 'bounce', reason: '552 5.2.2 The mailbox is full' }, 'soft'],
    [{ type: 'bounce', reason: '550 blocked: see 5.7.1.2' }, 'hard'],
    [{ type: 'blocked', status: '5.1.1' }, 'soft'],
    [{ type: 'expired' }, 'soft'],
  ])('bounce %j is %s', (more, bounce) => {
    expect(parse('bounce', more)).toMatchObject({ fact: 'bounced', bounce });
  });

  it.each([
    [fields('processed'), 'processed'],
    [fields('open', { sg_machine_open: true }), 'engagement'],
    [fields('click', { url: 'https://e.co' }), 'engagement'],
    [fields('account_status_change'), 'unknown-type'],
    [fields('other'), 'unknown-type'],
    [fields('delivered', { mailbeacon_email_id: undefined }), 'not-ours'],
    [fields('delivered', { mailbeacon_email_id: null }), 'not-ours'],
    [fields('delivered', { mailbeacon_email_id: 7 }), 'malformed'],
    [fields('delivered', { mailbeacon_email_id: 'x' }), 'malformed'],
    [fields('delivered', { mailbeacon_email_id: '0190f3a4-7c1e-4a52-9c63-5d2a8a1b4e77' }), 'malformed'],
    [fields('delivered', { email: undefined }), 'malformed'],
    [fields('delivered', { email: 5 }), 'malformed'],
    [fields('delivered', { email: 'a\0@b.co' }), 'malformed'],
    [fields('delivered', { email: 'a'.repeat(1000) }), 'malformed'],
    [{ event: 5 }, 'malformed'],
    [{}, 'malformed'],
    [[fields('delivered')], 'malformed'],
    [null, 'malformed'],
    ['delivered', 'malformed'],
  ])('is ignored for a reason: %j', (value, reason) => {
    expect(ignored(value)).toBe(reason);
  });

  it('has the same ID when SendGrid repeats it, and another one otherwise', () => {
    const id = parse('delivered').id;
    expect(parse('delivered', { useragent: 'later' }).id).toBe(id);
    expect(parse('delivered', { sg_event_id: 'another' }).id).not.toBe(id);
    expect(timeOfUuidV7(id)).toBe(SENT * 1000);
  });

  it.each([undefined, null, '', 5])('with the ID %j is identified by its content, in any order of its fields', (id) => {
    const without = { ...fields('bounce', { status: '5.1.1' }), sg_event_id: id };
    const reversed = Object.fromEntries(Object.entries(without).reverse());
    const other = { ...without, email: 'other@example.com' };
    const [first, second, third] = [without, reversed, other].map((value) =>
      ignored(JSON.parse(JSON.stringify(value))),
    );
    expect(second).toEqual(first);
    expect((third as RecipientEvent).id).not.toBe((first as RecipientEvent).id);
  });

  it('without an ID of SendGrid and with too many fields is malformed', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`field${at}`, at]));
    expect(ignored({ ...fields('bounce'), ...many, sg_event_id: undefined })).toBe('malformed');
    expect(parse('bounce', many).fact).toBe('bounced');
  });

  it.each([undefined, null, 'yesterday', -1, 0, 1e300, NaN, [SENT], SENT * 1000, ACCEPTED_AT / 1000 - 86_400])(
    'with the invalid timestamp %j gets the time when its email was accepted',
    (timestamp) => {
      expect(timeOfUuidV7(parse('delivered', { timestamp }).id)).toBe(ACCEPTED_AT);
    },
  );

  it.each([SENT, SENT + 0.9, String(SENT)])('keeps the timestamp %j', (timestamp) => {
    expect(timeOfUuidV7(parse('delivered', { timestamp }).id)).toBe(SENT * 1000);
  });

  it('never throws, and yields only events with an email ID, an address and a reason of one line', () => {
    const anything = fc.anything({ withNullPrototype: true, maxDepth: 3 });
    const names = Object.keys(fields('bounce', { type: 1, reason: 1, response: 1, status: 1 }));
    const types = fc.constantFrom('bounce', 'dropped', 'deferred', 'delivered', 'spamreport', 'group_unsubscribe');
    const nearlyRight = fc
      .tuple(types, fc.dictionary(fc.constantFrom(...names), fc.oneof(anything, fc.string({ unit: 'binary' }))))
      .map(([type, wrong]) => ({ ...fields(type), ...wrong }));
    fc.assert(
      fc.property(fc.oneof(anything, nearlyRight), (value) => {
        const first = parseSendGridEvent(value).outcome;
        if (typeof first === 'string') return;
        expect(first.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(first.email).toMatch(/^[0-9a-f-]{36}$/);
        expect(String(first.recipient)).not.toBe('');
        expect(first.reason ?? '').toMatch(/^[^\n\0]{0,500}$/);
        expect(parseSendGridEvent(value).outcome).toEqual(first);
      }),
      { numRuns: 500 },
    );
  });
});

import { derivedUuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { historyKey, type AddressHistory } from '../../../src/emails/recipients/address-history.js';
import { applyReports, recordKey, type Consequences } from '../../../src/emails/recipients/apply-reports.js';
import type { Report, ReportedEmail } from '../../../src/emails/recipients/reported-emails.js';
import type { RecipientEvent } from '../../../src/events/recipient-event.js';

const ADDRESS = 'ann@example.com';
const NOON = Date.UTC(2026, 10, 20, 12);
const HOUR = 3_600_000;

const email: ReportedEmail = {
  ...{ id: 'email', organizationId: 'organization', campaignId: 'campaign', status: 'sent' },
  ...{ isOwn: false, inStats: true, hasListener: true, addresses: [ADDRESS] },
};

/** A report about the email, some hours after noon. */
function report(
  fact: RecipientEvent['fact'],
  hours: number,
  more: Partial<RecipientEvent & ReportedEmail> = {},
): Report {
  const id = derivedUuidV7(NOON + hours * HOUR, `${fact} ${hours}`);
  const event: RecipientEvent = { type: 'recipient', id, email: email.id, recipient: 0, fact, ...more };
  return { event, email: { ...email, hasListener: more.hasListener ?? true }, address: ADDRESS, addressKey: ADDRESS };
}

const soft = (hours: number) => report('bounced', hours, { bounce: 'soft' });
const noHistory = (): AddressHistory => ({ runStart: 0, softBounces: [], subscription: '', subscriptionOf: new Map() });

function apply(reports: readonly Report[], history = noHistory()): Consequences {
  return applyReports(reports, {
    ...{ records: new Map(), softBounceLimit: 3, handOver: 'accepted' },
    histories: new Map([[historyKey(email.organizationId, ADDRESS), history]]),
  });
}

const countsOf = ({ campaignCounts }: Consequences) => Object.fromEntries(campaignCounts.get('campaign') ?? []);
const webhooksOf = ({ webhooks }: Consequences) => webhooks.map(({ type }) => type);
const suppressionsOf = ({ suppressions }: Consequences) =>
  [...suppressions.values()].map(({ reason, added }) => `${added ? 'adds' : 'removes'} ${reason}`);
const hoursOf = ({ hours }: Consequences) => hours.rows.map(({ hour, counts }) => [(hour - NOON) / HOUR, counts]);

it('counts a recipient once per fact, and reports each change of its state', () => {
  const result = apply([report('deferred', 0), report('delivered', 1), report('delivered', 2)]);
  expect(countsOf(result)).toEqual({ deferred: 1, delivered: 1 });
  expect(webhooksOf(result)).toEqual(['EMAIL_DEFERRED', 'EMAIL_DELIVERED']);
  expect(result.records.get(recordKey(email.id, ADDRESS))!.record).toMatchObject({
    handOver: 'accepted',
    factAt: NOON + 2 * HOUR,
  });
});

it('keeps the stronger state when a weaker fact arrives later, but counts that fact', () => {
  const result = apply([report('bounced', 1, { bounce: 'hard' }), report('delivered', 0)]);
  expect(countsOf(result)).toEqual({ bounced: 1, delivered: 1 });
  expect(webhooksOf(result)).toEqual(['EMAIL_BOUNCED']);
});

it('reports a bounce again when it turns out to be hard', () => {
  const result = apply([soft(0), report('bounced', 1, { bounce: 'hard' })]);
  expect(webhooksOf(result)).toEqual(['EMAIL_BOUNCED', 'EMAIL_BOUNCED']);
  expect(countsOf(result)).toEqual({ bounced: 1 });
  expect([...result.contactCounts.values()]).toMatchObject([{ bounces: 1, complaints: 0 }]);
});

it('suppresses at once after a hard bounce, and after as many soft ones in a row as the limit', () => {
  expect(suppressionsOf(apply([report('bounced', 0, { bounce: 'hard' })]))).toEqual(['adds bounce']);
  expect(suppressionsOf(apply([soft(0), soft(1)]))).toEqual([]);
  expect(suppressionsOf(apply([soft(0), soft(1), soft(2)]))).toEqual(['adds bounce']);
});

it('starts a new series of soft bounces after a delivery, by time of the event and not of its arrival', () => {
  expect(suppressionsOf(apply([soft(0), soft(1), report('delivered', 2), soft(3)]))).toEqual([]);
  expect(suppressionsOf(apply([report('delivered', 3), soft(0), soft(1), soft(2)]))).toEqual([]);
  expect(suppressionsOf(apply([soft(1), soft(2), report('delivered', 0), soft(3)]))).toEqual(['adds bounce']);
  expect(suppressionsOf(apply([soft(3)], { ...noHistory(), softBounces: [NOON, NOON + HOUR] }))).toEqual([
    'adds bounce',
  ]);
});

it('counts no soft bounce that is half a year older than the newest, in any order of arrival', () => {
  const halfYear = 180 * 24;
  expect(suppressionsOf(apply([soft(0), soft(1), soft(halfYear)]))).toEqual([]);
  expect(suppressionsOf(apply([soft(halfYear), soft(1), soft(0)]))).toEqual([]);
  expect(suppressionsOf(apply([soft(0), soft(1), soft(halfYear), soft(halfYear)]))).toEqual(['adds bounce']);
  expect(suppressionsOf(apply([soft(0), soft(1), soft(halfYear - 1)]))).toEqual(['adds bounce']);
});

it('applies the latest unsubscription by time, in any order of arrival', () => {
  const result = apply([report('unsubscribed', 0), report('resubscribed', 2), report('unsubscribed', 1)]);
  expect(suppressionsOf(result)).toEqual(['removes unsubscribe']);
  expect(webhooksOf(result)).toEqual(['EMAIL_UNSUBSCRIBED', 'EMAIL_RESUBSCRIBED']);
  expect(countsOf(result)).toEqual({ unsubscribed: 0 });
  expect(hoursOf(result)).toEqual([[0, { unsubscribed: 0 }]]);
});

it('counts the other facts in the hour of their first report', () => {
  expect(hoursOf(apply([report('delivered', 1), report('delivered', 0), report('complained', 2)]))).toEqual([
    [1, { delivered: 1 }],
    [2, { complained: 1 }],
  ]);
});

it('only suppresses for facts that are not counted, and posts nothing if no endpoint subscribes to them', () => {
  const noted = apply([report('noted', 0, { suppression: 'bounce' })]);
  expect({ suppressions: suppressionsOf(noted), records: noted.records.size }).toEqual({
    ...{ suppressions: ['adds bounce'], records: 0 },
  });
  expect(webhooksOf(apply([report('complained', 0, { hasListener: false })]))).toEqual([]);
});

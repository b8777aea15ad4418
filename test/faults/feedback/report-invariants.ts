import type { DeliveredWebhook } from '../observations.js';
import { countBy, differences, groupBy } from '../invariants/invariant.js';
import { recipientKey, type Outcome, type RecipientOutcome } from './model.js';
import type { Report, ReportType } from './report.js';
import type { StoredOutcome, StoredRecipient } from './stored-outcome.js';

const FACTS: Readonly<Record<ReportType, string>> = {
  deferred: 'deferred',
  delivered: 'delivered',
  'bounce hard': 'bounced',
  'bounce soft': 'bounced',
  spamreport: 'complained',
  unsubscribe: 'unsubscribed',
  group_resubscribe: 'resubscribed',
  'dropped: Bounced Address': 'suppressed',
  'dropped: Spam Content': 'failed',
};

/** Each report with a 2xx is stored once with its content, and nothing else is stored. */
export function* reportsAreStoredOnce(
  reports: readonly Report[],
  { reports: stored }: StoredOutcome,
): Iterable<string> {
  const isDrop = ({ type }: Report) => type.startsWith('dropped: ');
  const expected = countBy(reports, (report) => {
    const { email, address, at, type, text } = report;
    const bounce = type === 'bounce hard' ? 'hard' : type === 'bounce soft' ? 'soft' : null;
    const reason = isDrop(report) ? type.replace('dropped: ', '') : text;
    return [email, address, at, FACTS[type], bounce, reason].join(' ');
  });
  const found = countBy(stored, ({ email, address, at, type, bounce, reason }) =>
    [email, address, at, type, bounce, reason].join(' '),
  );
  yield* differences('rows', found, expected);
}

/** States, counters and suppressions match the model. */
export function* outcomeMatchesModel(expected: Outcome, stored: StoredOutcome): Iterable<string> {
  const found = new Map(stored.recipients.map((row) => [recipientKey(row.email, row.address), row]));
  for (const [key, recipient] of expected.recipients) {
    const is = describeStored(found.get(key));
    const should = describeExpected(recipient);
    if (is !== should) yield `the recipient ${key} is ${is}, not ${should}`;
  }
  for (const key of found.keys()) if (!expected.recipients.has(key)) yield `nothing was reported about ${key}`;
  const table = (record: object) => new Map(Object.entries(record) as [string, number][]);
  yield* differences('recipients of the campaign', table(stored.campaign), table(expected.campaign));
  for (const { address, ...contact } of stored.contacts) {
    const { bounces, complaints } = expected.contacts.get(address) ?? { bounces: 0, complaints: 0 };
    yield* differences(`numbers of the contact ${address}`, table(contact), table({ bounces, complaints }));
  }
  yield* differences(
    'suppressions',
    countBy(stored.suppressions, (entry) => entry),
    countBy([...expected.suppressions], (entry) => entry),
  );
}

function describeExpected({ reported, isUnsubscribed, reason, smtpStatus }: RecipientOutcome): string {
  const facts = new Set([...reported].map((type) => FACTS[type]));
  facts.delete('resubscribed');
  facts.delete('unsubscribed');
  if (isUnsubscribed) facts.add('unsubscribed');
  if (reported.has('bounce hard')) facts.add('hard');
  return [[...facts].sort().join('+'), reason, smtpStatus].join(', ');
}

function describeStored(row: StoredRecipient | undefined): string {
  return row ? [[...row.facts].sort().join('+'), row.reason, row.smtpStatus].join(', ') : 'unknown';
}

/**
 * Each change of a state has one webhook. Which weaker facts change the state depends on the order of arrival. The
 * strongest fact always does, and the changes of a subscription always add up to the final one.
 */
export function* changesAreDelivered(expected: Outcome, webhooks: readonly DeliveredWebhook[]): Iterable<string> {
  const once = [...new Map(webhooks.map((one) => [one.id, one])).values()];
  const about = groupBy(once, ({ data }) => recipientKey(String(data['id']), String(data['recipient']).toLowerCase()));
  for (const [key, recipient] of expected.recipients) {
    const delivered = countBy(about.get(key) ?? [], ({ type, data }) => [type, data['bounce'] ?? ''].join(' ').trim());
    yield* checkChanges(key, recipient, delivered);
    about.delete(key);
  }
  for (const [key, [one]] of about) {
    if (one!.data['recipient'] !== undefined) yield `${one!.type} is about ${key}, about which nothing was reported`;
  }
}

function* checkChanges(
  key: string,
  { reported, isUnsubscribed, state }: RecipientOutcome,
  delivered: ReadonlyMap<string, number>,
): Iterable<string> {
  const strongest = reported.has('bounce hard') ? 'bounce hard' : 'bounce soft';
  for (const type of Object.keys(FACTS) as ReportType[]) {
    const fact = FACTS[type];
    if (fact === 'failed' || fact.endsWith('subscribed')) continue;
    const bounce = fact === 'bounced' ? (type === 'bounce hard' ? ' hard' : ' soft') : '';
    const times = delivered.get(`EMAIL_${fact.toUpperCase()}${bounce}`) ?? 0;
    const isState = fact === state && (fact !== 'bounced' || type === strongest);
    const [min, max] = [isState ? 1 : 0, reported.has(type) ? 1 : 0];
    if (times < min || times > max) yield `${times} webhooks report that ${key} was ${type}`;
  }
  const balance = (delivered.get('EMAIL_UNSUBSCRIBED') ?? 0) - (delivered.get('EMAIL_RESUBSCRIBED') ?? 0);
  if (balance !== (isUnsubscribed ? 1 : 0)) yield `webhooks about the subscription of ${key} add up to ${balance}`;
}

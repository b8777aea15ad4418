import { HOURLY_FACTS } from '../../campaigns/stats/stat-counters.js';
import { HourDeltas } from '../../campaigns/stats/append-stats.js';
import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { SuppressionReason } from '../../events/recipient-event.js';
import type { RecipientWebhookType } from '../../webhooks/webhook-events.js';
import { historyKey, type AddressHistory } from './address-history.js';
import { CAMPAIGN_FACTS, FACT_RULES, SUPPRESSED_BEFORE_BIT, type CampaignFact } from './fact-rules.js';
import { stateOf, withFact, type RecipientRecord } from './recipient-state.js';
import type { Report } from './reported-emails.js';
import { suppressionReason } from './suppression-reason.js';

/** All consequences of reports. */
export interface Consequences {
  /** The changed records by email and address. */
  readonly records: Map<string, { readonly of: Report; record: RecipientRecord }>;
  /** Increments of counters, one per recipient that reached a fact for the first time. */
  readonly campaignCounts: Map<string, Map<CampaignFact, number>>;
  /** By `recordKey`; of recipients of copies, too, who are no contacts of the email. */
  readonly contactCounts: Map<string, { readonly of: Report; bounces: number; complaints: number }>;
  /** Increments by the hour. */
  readonly hours: HourDeltas;
  readonly webhooks: RecipientNews[];
  /** The last decision about each address and reason, by `suppressionKey`: added or removed. */
  readonly suppressions: Map<string, { readonly of: Report; readonly reason: SuppressionReason; added: boolean }>;
}

export interface RecipientNews {
  readonly type: RecipientWebhookType;
  readonly of: Report;
  /** True for a recipient who changes their mind once more. All other events can only happen a few times. */
  readonly mayRepeat: boolean;
}

interface Known {
  /** Stored records by `recordKey`. */
  readonly records: ReadonlyMap<string, RecipientRecord>;
  readonly histories: ReadonlyMap<string, AddressHistory>;
  readonly softBounceLimit: number;
  readonly handOver: 'accepted' | 'refused';
}

export function recordKey(emailId: string, address: string): string {
  return `${emailId} ${address}`;
}

export function suppressionKey(organizationId: string, addressKey: string, reason: SuppressionReason): string {
  return `${historyKey(organizationId, addressKey)} ${reason}`;
}

/** Applies new reports in the order of their arrival. Pure, except that it updates `known.histories`. */
export function applyReports(reports: readonly Report[], known: Known): Consequences {
  const consequences: Consequences = {
    ...{ records: new Map(), campaignCounts: new Map(), contactCounts: new Map(), hours: new HourDeltas() },
    ...{ webhooks: [], suppressions: new Map() },
  };
  for (const report of reports) applyReport(report, known, consequences);
  return consequences;
}

function applyReport(report: Report, known: Known, { records, webhooks, ...counts }: Consequences): void {
  const { event, email, address } = report;
  const history = known.histories.get(historyKey(email.organizationId, report.addressKey));
  const { isLatest, isLatestOfAddress, previousId } = history ? subscriptionOrder(report, history) : ALWAYS;
  if (isLatestOfAddress) suppress(report, suppressionReason(report, history, known.softBounceLimit), counts);
  if (event.fact === 'noted' || !isLatest) return;
  const key = recordKey(email.id, address);
  const before = records.get(key)?.record ?? known.records.get(key);
  const fact = {
    ...{ fact: event.fact, bounce: event.bounce ?? null, at: timeOfUuidV7(event.id) },
    ...{ reason: event.reason ?? null, smtpStatus: event.smtpStatus ?? null },
  };
  const after = withFact(before, fact, known.handOver);
  records.set(key, { of: report, record: after });
  count(report, countedFacts(before?.facts ?? 0), countedFacts(after.facts), counts);
  countByHour(report, before, after, counts.hours, previousId);
  const { webhook: type } = FACT_RULES[event.fact];
  const mayRepeat = previousId !== undefined;
  // A late decision about a subscription would contradict the one that decides.
  const isReported = type !== undefined && email.hasListener && isLatestOfAddress;
  if (isReported && isNews(report, before, after)) webhooks.push({ type, of: report, mayRepeat });
}

interface SubscriptionOrder {
  readonly isLatest: boolean;
  readonly isLatestOfAddress: boolean;
  /** ID of the latest one before, of the same email. */
  readonly previousId?: string | undefined;
}

const ALWAYS: SubscriptionOrder = { isLatest: true, isLatestOfAddress: true };

/** Of unsubscriptions and resubscriptions, the latest by time decides, regardless of the order of arrival. */
function subscriptionOrder({ event, email }: Report, history: AddressHistory): SubscriptionOrder {
  if (event.fact !== 'unsubscribed' && event.fact !== 'resubscribed') return ALWAYS;
  const previousId = history.subscriptionOf.get(email.id);
  const isLatest = event.id > (previousId ?? '');
  if (isLatest) history.subscriptionOf.set(email.id, event.id);
  const isLatestOfAddress = event.id > history.subscription;
  if (isLatestOfAddress) history.subscription = event.id;
  return { isLatest, isLatestOfAddress, previousId };
}

function suppress(
  of: Report,
  reason: SuppressionReason | undefined,
  { suppressions }: Pick<Consequences, 'suppressions'>,
): void {
  const decide = (decided: SuppressionReason, added: boolean): void => {
    const key = suppressionKey(of.email.organizationId, of.addressKey, decided);
    suppressions.delete(key);
    suppressions.set(key, { of, reason: decided, added });
  };
  if (reason) decide(reason, true);
  if (of.event.fact === 'resubscribed') decide('unsubscribe', false);
}

function countedFacts(facts: number): number {
  return (facts & SUPPRESSED_BEFORE_BIT) === 0 ? facts : facts | FACT_RULES.suppressed.bit;
}

function count(
  of: Report,
  before: number,
  after: number,
  { campaignCounts, contactCounts }: Pick<Consequences, 'campaignCounts' | 'contactCounts'>,
): void {
  if (before === after) return;
  const { campaignId } = of.email;
  for (const fact of CAMPAIGN_FACTS) {
    const { bit, contactCounter } = FACT_RULES[fact];
    const change = ((after & bit) === 0 ? 0 : 1) - ((before & bit) === 0 ? 0 : 1);
    if (change === 0) continue;
    if (campaignId !== null) {
      const counts = campaignCounts.get(campaignId) ?? new Map<CampaignFact, number>();
      campaignCounts.set(campaignId, counts.set(fact, (counts.get(fact) ?? 0) + change));
    }
    if (contactCounter === undefined) continue;
    const key = recordKey(of.email.id, of.address);
    const counts = contactCounts.get(key) ?? { of, bounces: 0, complaints: 0 };
    counts[contactCounter] += change;
    contactCounts.set(key, counts);
  }
}

/**
 * A recipient counts in the hour of its first report of a fact, but of its latest unsubscription: so it is known from
 * which hour to subtract it when the recipient resubscribes.
 */
function countByHour(
  { event, email }: Report,
  before: RecipientRecord | undefined,
  { facts: after }: RecipientRecord,
  hours: HourDeltas,
  previousId: string | undefined,
): void {
  if (!email.inStats) return;
  const at = timeOfUuidV7(event.id);
  const facts = before?.facts ?? 0;
  for (const fact of ONCE_FACTS) {
    const { bit } = FACT_RULES[fact];
    if ((facts & bit) === 0 && (after & bit) !== 0) hours.add(email, at, fact, 1);
  }
  if (event.fact !== 'unsubscribed' && event.fact !== 'resubscribed') return;
  const { bit } = FACT_RULES.unsubscribed;
  if (before && (facts & bit) !== 0) {
    // The previous report may be deleted by age. Without a time, it is from an earlier release.
    const known = previousId === undefined ? before.unsubscribedAt : timeOfUuidV7(previousId);
    hours.add(email, known ?? before.factAt ?? at, 'unsubscribed', -1);
  }
  if ((after & bit) !== 0) hours.add(email, at, 'unsubscribed', 1);
}

/** Facts that count once, when they are first reported. */
const ONCE_FACTS = HOURLY_FACTS.filter((fact) => fact !== 'unsubscribed');

/** True when the state changes, a soft bounce becomes hard, or the subscription changes. */
function isNews({ event, email }: Report, before: RecipientRecord | undefined, after: RecipientRecord): boolean {
  if (event.fact === 'unsubscribed' || event.fact === 'resubscribed') return (before?.facts ?? 0) !== after.facts;
  const state = stateOf(email.status, after);
  if (state !== event.fact) return false;
  return stateOf(email.status, before) !== state || before?.facts !== after.facts;
}

import type { BounceKind, RecipientFact } from '../../events/recipient-event.js';
import type { HandOverResult } from '../../providers/hand-over-result.js';
import { FACT_RULES, HARD_BIT } from './fact-rules.js';

/** The states of a recipient that the API shows. */
export const RECIPIENT_STATES = [
  'pending',
  'sent',
  'deferred',
  'failed',
  'suppressed',
  'canceled',
  'delivered',
  'bounced',
  'complained',
] as const;

export type RecipientState = (typeof RECIPIENT_STATES)[number];

/** The stored state of a recipient: a row of `recipient_deliveries`. */
export interface RecipientRecord {
  /** Result of the hand-over to the provider. */
  readonly handOver: HandOverResult;
  /** Bits of all facts so far. */
  readonly facts: number;
  /** Details of the strongest fact, or of the hand-over before the first fact. */
  readonly reason: string | null;
  readonly smtpStatus: string | null;
  /** Time of the strongest fact in milliseconds; null before the first one. */
  readonly factAt: number | null;
  /** Time of the unsubscription that is in effect; null for one from an earlier release. */
  readonly unsubscribedAt: number | null;
}

/** The fields of a report on which the state depends. */
export interface ReportedFact {
  readonly fact: RecipientFact;
  readonly bounce: BounceKind | null;
  readonly reason: string | null;
  readonly smtpStatus: string | null;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** Facts that are states, strongest first. */
export const BY_STRENGTH = (Object.keys(FACT_RULES) as RecipientFact[])
  .filter((fact) => FACT_RULES[fact].strength > 0)
  .sort((a, b) => FACT_RULES[b].strength - FACT_RULES[a].strength) as (RecipientFact & RecipientState)[];

/**
 * The state that the API shows. Facts decide before the hand-over, and the hand-over before the email.
 * @param emailStatus `emails.status`
 */
export function stateOf(emailStatus: string, record: RecipientRecord | undefined): RecipientState {
  const fact = strongestOf(record?.facts ?? 0);
  if (fact !== undefined) return fact;
  if (record?.handOver === 'accepted') return 'sent';
  if (record?.handOver === 'refused' || emailStatus === 'failed') return 'failed';
  if (emailStatus === 'canceled') return 'canceled';
  if (emailStatus === 'sent' || emailStatus === 'tracked') return record ? 'failed' : 'sent';
  return record ? 'deferred' : 'pending';
}

/**
 * The record after one more fact. The result of several facts does not depend on their order.
 * `unsubscribed` and `resubscribed` are the exception: the caller applies only the latest of them by time.
 */
export function withFact(
  record: RecipientRecord | undefined,
  report: ReportedFact,
  handOver: RecipientRecord['handOver'],
): RecipientRecord {
  const before: RecipientRecord = record ?? {
    ...{ handOver, facts: 0, reason: null, smtpStatus: null, factAt: null, unsubscribedAt: null },
  };
  const { fact, bounce, reason, smtpStatus, at } = report;
  if (fact === 'resubscribed')
    return { ...before, facts: before.facts & ~FACT_RULES.unsubscribed.bit, unsubscribedAt: null };
  const facts = before.facts | factBits(fact, bounce);
  const unsubscribedAt = fact === 'unsubscribed' ? at : before.unsubscribedAt;
  const after = { ...before, facts, unsubscribedAt };
  return isStronger(report, before) ? { ...after, reason, smtpStatus, factAt: at } : after;
}

/** The bits of `facts` that a report sets. */
export function factBits(fact: RecipientFact, bounce: BounceKind | null | undefined): number {
  return FACT_RULES[fact].bit | (isHard(fact, bounce) ? HARD_BIT : 0);
}

export function isHard(fact: RecipientFact, bounce: BounceKind | null | undefined): boolean {
  return fact === 'bounced' && bounce === 'hard';
}

/**
 * By strength, hard before soft, then the later one. For equal times the texts decide, regardless of the order of
 * arrival.
 */
function isStronger({ fact, bounce, at, smtpStatus, reason }: ReportedFact, { facts, ...known }: RecipientRecord) {
  const strongest = strongestOf(facts);
  const [ours, theirs] = [FACT_RULES[fact].strength, strongest ? FACT_RULES[strongest].strength : 0];
  if (ours !== theirs || ours === 0) return ours > theirs;
  const wasHard = (facts & HARD_BIT) !== 0;
  if (fact === 'bounced' && wasHard !== isHard(fact, bounce)) return !wasHard;
  if (at !== known.factAt) return at > (known.factAt ?? -Infinity);
  return `${smtpStatus ?? ''} ${reason ?? ''}` > `${known.smtpStatus ?? ''} ${known.reason ?? ''}`;
}

function strongestOf(facts: number): (RecipientFact & RecipientState) | undefined {
  return BY_STRENGTH.find((fact) => (facts & FACT_RULES[fact].bit) !== 0);
}

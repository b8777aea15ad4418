import type { Settings } from '../../platform/config/settings.js';

/** The states that a rate can cause, strictest first. */
const STEPS = ['paused', 'slowed', 'warned'] as const;
type Step = (typeof STEPS)[number];

/**
 * In a small organization, one recipient is enough to exceed each limit, and could forge a complaint: a single one only
 * warns.
 */
const FEWEST_COMPLAINTS: Readonly<Record<Step, number>> = { warned: 1, slowed: 2, paused: 3 };

export type GuardLimits = Pick<
  Settings,
  `GUARD_${'BOUNCE' | 'COMPLAINT'}_${'WARN' | 'SLOW' | 'PAUSE'}` | 'GUARD_MIN_SENT'
>;

/** Recipients of an organization, or of one of its sender domains, within some hours until now. */
export interface SendingCounts {
  /** Null for all domains together. */
  readonly domain: string | null;
  readonly hours: number;
  readonly sent: number;
  /** Hard bounces. */
  readonly bounced: number;
  readonly complained: number;
}

/** A rate that reached a limit. Webhooks contain it in this form. */
export interface ExceededRate {
  readonly fact: 'bounced' | 'complained';
  /** Sender domain; null for all domains together. */
  readonly domain: string | null;
  /** Window, in hours until now. */
  readonly hours: number;
  /** Recipients within the window. */
  readonly sent: number;
  /** How many of them bounced hard or complained. */
  readonly count: number;
  /** `count / sent`, at most 1. */
  readonly rate: number;
  /** Rate at which the state applies. */
  readonly limit: number;
}

export interface GuardVerdict {
  readonly state: Step;
  /** One sentence for the organization and the operator, about the first rate. */
  readonly reason: string;
  /** Rates that reached the limit of the state: at least one. */
  readonly rates: readonly ExceededRate[];
}

/** An organization can have thousands of sender domains, and the first rates are explanation enough. */
const MAX_RATES = 10;

/**
 * The strictest consequence of an organization's counts; undefined when all are within the limits.
 * @param isOnlyWarned true to leave out the stricter ones
 */
export function guardVerdict(
  counts: readonly SendingCounts[],
  limits: GuardLimits,
  isOnlyWarned = false,
): GuardVerdict | undefined {
  const all = counts.filter(({ sent }) => sent >= limits.GUARD_MIN_SENT);
  for (const state of isOnlyWarned ? (['warned'] as const) : STEPS) {
    const rates = all.flatMap((one) => exceeded(one, state, limits));
    if (rates.length > 0) return { state, reason: sentence(rates[0]!), rates: rates.slice(0, MAX_RATES) };
  }
  return undefined;
}

/** The lowest limits, below which no rate has a consequence. */
export function lowestLimits(limits: GuardLimits): { readonly bounces: number; readonly complaints: number } {
  const all = STEPS.map((step) => limitsOf(step, limits));
  return {
    bounces: Math.min(...all.map(({ bounces }) => bounces)),
    complaints: Math.min(...all.map(({ complaints }) => complaints)),
  };
}

function limitsOf(step: Step, limits: GuardLimits): { bounces: number; complaints: number } {
  switch (step) {
    case 'paused':
      return { bounces: limits.GUARD_BOUNCE_PAUSE, complaints: limits.GUARD_COMPLAINT_PAUSE };
    case 'slowed':
      return { bounces: limits.GUARD_BOUNCE_SLOW, complaints: limits.GUARD_COMPLAINT_SLOW };
    case 'warned':
      return { bounces: limits.GUARD_BOUNCE_WARN, complaints: limits.GUARD_COMPLAINT_WARN };
  }
}

/** At most 1: reports count in the hour in which they arrive, so a window can have more of them than recipients. */
export function rateOf(count: number, sent: number): number {
  return sent === 0 ? 0 : Math.min(1, count / sent);
}

function exceeded(counts: SendingCounts, step: Step, limits: GuardLimits): ExceededRate[] {
  const { domain, hours, sent, bounced, complained } = counts;
  const { bounces, complaints } = limitsOf(step, limits);
  return [
    { fact: 'complained' as const, count: complained, limit: complaints, fewest: FEWEST_COMPLAINTS[step] },
    { fact: 'bounced' as const, count: bounced, limit: bounces, fewest: 1 },
  ]
    .filter(({ count, limit, fewest }) => limit < 1 && count >= fewest && rateOf(count, sent) >= limit)
    .map(({ fact, count, limit }) => ({ fact, domain, hours, sent, count, rate: rateOf(count, sent), limit }));
}

function sentence({ domain, hours, sent, fact, rate, limit }: ExceededRate): string {
  const from = domain === null ? '' : ` of mail from ${domain}`;
  const within = hours === 1 ? 'the last hour' : hours === 24 ? 'the last 24 hours' : 'the last 7 days';
  return `${percent(rate)} of ${sent} recipients${from} ${fact} within ${within}, and the limit is ${percent(limit)}`;
}

function percent(rate: number): string {
  return `${Number((rate * 100).toFixed(2))} %`;
}

import type { Settings } from '../../platform/config/settings.js';

/** One recipient of a small organization is above each limit, and could forge a complaint. Fewer only slow it down. */
const FEWEST_COMPLAINTS_TO_PAUSE = 3;

export type GuardLimits = Pick<
  Settings,
  'GUARD_BOUNCE_SLOW' | 'GUARD_BOUNCE_PAUSE' | 'GUARD_COMPLAINT_SLOW' | 'GUARD_COMPLAINT_PAUSE' | 'GUARD_MIN_SENT'
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

/** A rate that reached a limit. Webhooks show it as it is. */
export interface ExceededRate {
  readonly fact: 'bounced' | 'complained';
  /** Sender domain; null for all domains together. */
  readonly domain: string | null;
  /** Window, in hours until now. */
  readonly hours: number;
  /** Recipients within the window. */
  readonly sent: number;
  /** Those of them that bounced hard or complained. */
  readonly count: number;
  /** `count / sent`. */
  readonly rate: number;
  /** Rate from which on the state applies. */
  readonly limit: number;
}

export interface GuardVerdict {
  readonly state: 'slowed' | 'paused';
  /** One sentence for the organization and the operator, about the first rate. */
  readonly reason: string;
  /** Rates that reached the limit of the state: at least one. */
  readonly rates: readonly ExceededRate[];
}

/** An organization can have thousands of sender domains, and the first rates explain enough. */
const MAX_RATES = 10;

/** The strictest consequence of an organization's counts; undefined when all are within the limits. */
export function guardVerdict(counts: readonly SendingCounts[], limits: GuardLimits): GuardVerdict | undefined {
  const all = counts.filter(({ sent }) => sent >= limits.GUARD_MIN_SENT);
  const pausing = all
    .flatMap((one) => exceeded(one, limits.GUARD_COMPLAINT_PAUSE, limits.GUARD_BOUNCE_PAUSE))
    .filter(({ fact, count }) => fact === 'bounced' || count >= FEWEST_COMPLAINTS_TO_PAUSE);
  if (pausing.length > 0) return verdictOf('paused', pausing);
  const slowing = all.flatMap((one) => exceeded(one, limits.GUARD_COMPLAINT_SLOW, limits.GUARD_BOUNCE_SLOW));
  return slowing.length > 0 ? verdictOf('slowed', slowing) : undefined;
}

function verdictOf(state: GuardVerdict['state'], rates: readonly ExceededRate[]): GuardVerdict {
  return { state, reason: sentence(rates[0]!), rates: rates.slice(0, MAX_RATES) };
}

function exceeded(counts: SendingCounts, complaintLimit: number, bounceLimit: number): ExceededRate[] {
  const { domain, hours, sent, bounced, complained } = counts;
  return [
    { fact: 'complained' as const, count: complained, limit: complaintLimit },
    { fact: 'bounced' as const, count: bounced, limit: bounceLimit },
  ]
    .filter(({ count, limit }) => limit < 1 && count > 0 && count / sent >= limit)
    .map(({ fact, count, limit }) => ({ fact, domain, hours, sent, count, rate: count / sent, limit }));
}

function sentence({ domain, hours, sent, fact, rate, limit }: ExceededRate): string {
  const from = domain === null ? '' : ` of mail from ${domain}`;
  const within = hours === 1 ? 'the last hour' : hours === 24 ? 'the last 24 hours' : 'the last 7 days';
  return `${percent(rate)} of ${sent} recipients${from} ${fact} within ${within}, and the limit is ${percent(limit)}`;
}

function percent(rate: number): string {
  return `${Number((rate * 100).toFixed(2))} %`;
}

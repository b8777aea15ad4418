import type { Settings } from '../../platform/config/settings.js';

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

export interface GuardVerdict {
  readonly state: 'slowed' | 'paused';
  /** One sentence for the organization and the operator. */
  readonly reason: string;
}

/** The strictest consequence of an organization's counts; undefined when all are within the limits. */
export function guardVerdict(counts: readonly SendingCounts[], limits: GuardLimits): GuardVerdict | undefined {
  const verdicts = counts.filter(({ sent }) => sent >= limits.GUARD_MIN_SENT).flatMap((one) => verdictsOf(one, limits));
  return verdicts.find(({ state }) => state === 'paused') ?? verdicts[0];
}

function verdictsOf(counts: SendingCounts, limits: GuardLimits): GuardVerdict[] {
  const { bounced, complained } = counts;
  const { GUARD_BOUNCE_SLOW, GUARD_BOUNCE_PAUSE, GUARD_COMPLAINT_SLOW, GUARD_COMPLAINT_PAUSE } = limits;
  return [
    { of: complained, words: 'complained', state: 'paused' as const, limit: GUARD_COMPLAINT_PAUSE },
    { of: bounced, words: 'bounced', state: 'paused' as const, limit: GUARD_BOUNCE_PAUSE },
    { of: complained, words: 'complained', state: 'slowed' as const, limit: GUARD_COMPLAINT_SLOW },
    { of: bounced, words: 'bounced', state: 'slowed' as const, limit: GUARD_BOUNCE_SLOW },
  ]
    .filter(({ of, limit }) => limit < 1 && of > 0 && of / counts.sent >= limit)
    .map(({ of, words, state, limit }) => ({ state, reason: sentence(counts, of, words, limit) }));
}

function sentence({ domain, hours, sent }: SendingCounts, part: number, words: string, limit: number): string {
  const from = domain === null ? '' : ` of mail from ${domain}`;
  const within = hours === 1 ? 'the last hour' : hours === 24 ? 'the last 24 hours' : 'the last 7 days';
  return `${percent(part / sent)} of ${sent} recipients${from} ${words} within ${within}, and the limit is ${percent(limit)}`;
}

function percent(rate: number): string {
  return `${Number((rate * 100).toFixed(2))} %`;
}

import { formatCount, formatPercent } from '../format';
import type { Stats } from '../types';
import { Badge, type Tone } from './badge';
import { Card } from './page';

interface Limit {
  /** Per 100. */
  readonly at: number;
  readonly meaning: string;
  readonly tone: Extract<Tone, 'warn' | 'bad'>;
}

/** https://docs.aws.amazon.com/ses/latest/dg/reputationdashboard-bounce.html */
const BOUNCE_LIMITS: readonly Limit[] = [
  { at: 5, meaning: 'SES reviews the account', tone: 'warn' },
  { at: 10, meaning: 'SES may stop the account', tone: 'bad' },
];
/**
 * https://support.google.com/a/answer/81126 and
 * https://docs.aws.amazon.com/ses/latest/dg/reputationdashboard-complaint.html
 */
const COMPLAINT_LIMITS: readonly Limit[] = [
  { at: 0.1, meaning: 'Gmail requires less; SES reviews the account', tone: 'warn' },
  { at: 0.3, meaning: 'Gmail treats the mail as spam', tone: 'bad' },
  { at: 0.5, meaning: 'SES may stop the account', tone: 'bad' },
];

/** The bounce and complaint rates, next to the limits of Gmail and SES. */
export function RateMeters({ totals: { sent, bounced, complained } }: { readonly totals: Stats['totals'] }) {
  return (
    <Card title="Reputation">
      <Meter name="Bounce rate" count={bounced} sent={sent} limits={BOUNCE_LIMITS} />
      <Meter name="Complaint rate" count={complained} sent={sent} limits={COMPLAINT_LIMITS} />
    </Card>
  );
}

interface MeterProps {
  readonly name: string;
  readonly count: number;
  readonly sent: number;
  readonly limits: readonly Limit[];
}

function Meter({ name, count, sent, limits }: MeterProps) {
  const rate = sent === 0 ? 0 : Math.min(100, (100 * count) / sent);
  // Reports about earlier emails say nothing about a time in which none were sent.
  const below = sent === 0 ? 'nothing sent' : 'good';
  const reached = limits.filter(({ at }) => rate >= at).at(-1);
  const end = limits.at(-1)!.at * 1.2;
  const place = (value: number): string => `${(100 * Math.min(value, end)) / end}%`;
  return (
    <div class="usage">
      <div class="what">
        <span>
          {name} <Badge state={reached?.meaning ?? below} tone={reached?.tone ?? (sent === 0 ? 'plain' : 'good')} />
        </span>
        {sent > 0 && <strong class="number">{formatPercent(rate)}</strong>}
      </div>
      <div class="limits">
        <div
          class="bar"
          role="meter"
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={rate}
          aria-valuetext={sent === 0 ? below : `${formatPercent(rate)}: ${reached?.meaning ?? 'below every limit'}`}
        >
          <span class={reached && (reached.tone === 'bad' ? 'failed' : 'suppressed')} style={{ width: place(rate) }} />
        </div>
        {limits.map(({ at, tone }) => (
          <span key={at} class={`limit ${tone}`} style={{ left: place(at) }} />
        ))}
      </div>
      <span class="hint">
        {formatCount(count)} of {formatCount(sent)} sent. Limits:{' '}
        {limits.map(({ at, meaning }) => `${formatPercent(at)} ${meaning}`).join(' · ')}.
      </span>
    </div>
  );
}

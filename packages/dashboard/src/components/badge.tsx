export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'plain';

const TONES: Readonly<Record<string, Tone>> = {
  sent: 'good',
  delivered: 'good',
  active: 'good',
  verified: 'good',
  opened: 'info',
  clicked: 'info',
  queued: 'info',
  sending: 'info',
  scheduled: 'info',
  tracked: 'info',
  failed: 'bad',
  bounced: 'bad',
  complained: 'bad',
  complaint: 'bad',
  bounce: 'bad',
  refused: 'bad',
  deferred: 'warn',
  suppressed: 'warn',
  unsubscribed: 'warn',
  paused: 'warn',
  pending: 'warn',
};

export function toneOf(state: string): Tone {
  return TONES[state] ?? 'plain';
}

/** The name of a state, colored by its meaning. */
export function Badge({ state, tone = toneOf(state) }: { readonly state: string; readonly tone?: Tone }) {
  return <span class={`badge ${tone}`}>{state}</span>;
}

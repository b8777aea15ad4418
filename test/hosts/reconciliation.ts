import type { Balancer } from './balancer.js';
import type { Sent } from './traffic.js';

interface StoredEmail {
  readonly id: string;
  readonly status: string;
  readonly opens: number;
  readonly clicks: number;
  readonly possibleDuplicate: boolean;
}

/** The outcome of every accepted email and of every hit that got a response. */
export interface Reconciliation {
  readonly accepted: number;
  readonly unfinished: number;
  readonly failed: number;
  readonly lost: number;
  readonly doubled: number;
  readonly flagged: number;
  readonly wrongOpens: number;
  readonly wrongClicks: number;
}

/** Compares the API's report on each email with the responses that clients got and the mail that arrived. */
export async function reconcile(
  sent: readonly Sent[],
  received: ReadonlyMap<string, number>,
  read: (trackingId: string) => Promise<StoredEmail>,
): Promise<Reconciliation> {
  const totals = {
    accepted: sent.length,
    unfinished: 0,
    failed: 0,
    lost: 0,
    doubled: 0,
    flagged: 0,
    wrongOpens: 0,
    wrongClicks: 0,
  };
  for (const { trackingId, opens, clicks } of sent) {
    const email = await read(trackingId);
    const copies = received.get(email.id) ?? 0;
    if (email.status === 'queued' || email.status === 'sending') totals.unfinished += 1;
    if (email.status === 'failed') totals.failed += 1;
    if (email.status === 'sent' && copies === 0) totals.lost += 1;
    if (email.possibleDuplicate) totals.flagged += 1;
    if (copies > (email.possibleDuplicate ? 2 : 1)) totals.doubled += 1;
    if (email.opens !== opens) totals.wrongOpens += 1;
    if (email.clicks !== clicks) totals.wrongClicks += 1;
  }
  return totals;
}

export function isConsistent({ unfinished, failed, lost, doubled, wrongOpens, wrongClicks }: Reconciliation): boolean {
  return unfinished + failed + lost + doubled + wrongOpens + wrongClicks === 0;
}

export function emailReader(apis: Balancer, apiKey: string): (trackingId: string) => Promise<StoredEmail> {
  return async (trackingId) => {
    const response = await apis.fetch(`/api/emails/${trackingId}`, { headers: { 'x-api-key': apiKey } });
    if (!response.ok) throw new Error(`An accepted email cannot be read: ${response.status}`);
    return (await response.json()) as StoredEmail;
  };
}

import { jest } from '@jest/globals';
import { pino } from 'pino';
import type { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { EMAIL_LEASE_MS } from '../../../src/emails/delivery/lease.js';
import { HeldLeases } from '../../../src/emails/delivery/held-leases.js';
import type { Lease } from '../../../src/emails/delivery/lease.js';

const SECOND = 1_000;

let renewals: { at: number; tokens: string[] }[];
let leases: HeldLeases;
let begun: number;

beforeEach(() => {
  jest.useFakeTimers();
  begun = performance.now();
  renewals = [];
  const state = {
    renew: (renewed: readonly Lease[]) => {
      renewals.push({ at: performance.now() - begun, tokens: renewed.map(({ token }) => token) });
      return renewals.length === 1 ? Promise.reject(new Error('Postgres is down')) : Promise.resolve();
    },
  };
  leases = new HeldLeases(state as unknown as DeliveryState, pino({ level: 'silent' }));
  leases.onApplicationBootstrap();
});
afterEach(() => {
  leases.onApplicationShutdown();
  jest.useRealTimers();
});

function hold(milliseconds: number): { token: string; work: Promise<void> } {
  const claim = leases.begin({ id: 'e1', generation: 0 });
  const work = new Promise<void>((resolve) => setTimeout(resolve, milliseconds)).finally(() => leases.end(claim));
  return { token: claim.lease.token, work };
}

describe('leases of deliveries in progress', () => {
  it('are renewed twice before they expire, so that one failed renewal does no harm, and only as long as needed', async () => {
    const { token, work } = hold(60 * SECOND);
    await jest.advanceTimersByTimeAsync(EMAIL_LEASE_MS - SECOND);
    expect(renewals.length).toBeGreaterThanOrEqual(2);
    await jest.advanceTimersByTimeAsync(60 * SECOND);
    await work;
    const times = [0, ...renewals.map(({ at }) => at), 60 * SECOND];
    const longestGap = Math.max(...times.slice(1).map((at, index) => at - times[index]!));
    expect(longestGap).toBeLessThan(EMAIL_LEASE_MS / 2);
    expect(new Set(renewals.flatMap(({ tokens }) => tokens))).toEqual(new Set([token]));
    expect(renewals.at(-1)!.at).toBeLessThanOrEqual(60 * SECOND);
  });

  it('of quick deliveries need no statement', async () => {
    const { work } = hold(4 * SECOND);
    await jest.advanceTimersByTimeAsync(5 * EMAIL_LEASE_MS);
    await work;
    expect(renewals).toEqual([]);
  });
});

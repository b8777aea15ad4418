import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import type { DeliveryOutcome, HandOver } from '../../../src/providers/provider.js';
import { LeasedSend } from '../../../src/emails/delivery/leased-send.js';
import type { DeliveryAttempt, DeliverySettlement } from '../../../src/emails/delivery/delivery-settlement.js';
import type { HeldLeases } from '../../../src/emails/delivery/held-leases.js';
import type { Lease } from '../../../src/emails/delivery/lease.js';

const accepted: DeliveryOutcome = { kind: 'accepted', providerId: 'p1' };
const refused: DeliveryOutcome = { kind: 'refused', reason: '550 No such user' };

let now: number;
let steps: string[];
let claim: () => Promise<number | undefined>;
let lease: Lease;

beforeEach(() => {
  now = 0;
  steps = [];
  claim = () => Promise.resolve(1);
  lease = { emailId: 'e1', token: randomUUID() };
  jest.spyOn(globalThis.performance, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

function run(deliver: (handOver: HandOver) => DeliveryOutcome | Promise<DeliveryOutcome>): Promise<void> {
  const state: Pick<DeliveryState, 'claim' | 'giveBack'> = {
    claim: () => {
      steps.push('claim');
      return claim();
    },
    giveBack: ({ token }) => {
      steps.push(token === lease.token ? 'give back' : 'give back another');
      return Promise.resolve();
    },
  };
  const leases = { during: (_: Lease, work: () => unknown) => work() } as unknown as HeldLeases;
  const settlement = {
    settle: ({ attempt }: DeliveryAttempt, { kind }: DeliveryOutcome) => {
      steps.push(`${kind} on attempt ${attempt}`);
      return Promise.resolve();
    },
  } as unknown as DeliverySettlement;
  const delivery = new LeasedSend(state as DeliveryState, leases, settlement);
  return delivery.run(lease, {} as DeliveryAttempt, deliver);
}

/** A provider that has everything but the end of the message when it asks. */
async function complete(handOver: HandOver): Promise<DeliveryOutcome> {
  steps.push('all but the end');
  if (!(await handOver())) return { kind: 'retry', reason: 'called off' };
  steps.push('the end');
  return accepted;
}

describe('a delivery', () => {
  it('claims its email right before the end of the message leaves', async () => {
    await run(complete);
    expect(steps).toEqual(['all but the end', 'claim', 'the end', 'accepted on attempt 1']);
  });

  it('that ends before the message was complete claims its email to record that', async () => {
    await run(() => refused);
    expect(steps).toEqual(['claim', 'refused on attempt 1']);
  });

  it('claims once, however often the provider asks', async () => {
    await run(async (handOver) => {
      expect([await handOver(), await handOver()]).toEqual([true, true]);
      return accepted;
    });
    expect(steps).toEqual(['claim', 'accepted on attempt 1']);
  });

  it('of an email that somebody else has completes nothing and records nothing', async () => {
    claim = () => Promise.resolve(undefined);
    await run(complete);
    expect(steps).toEqual(['all but the end', 'claim']);
  });

  it.each([
    [14_999, ['the end', 'accepted on attempt 1']],
    [15_001, ['retry on attempt 1']],
  ])('whose claim took %d ms, half a lease being 15,000', async (tookMs, end) => {
    claim = () => {
      now += tookMs;
      return Promise.resolve(1);
    };
    await run(complete);
    expect(steps).toEqual(['all but the end', 'claim', ...end]);
  });

  it('whose claim took too long is refused however often the provider asks', async () => {
    claim = () => {
      now += 15_001;
      return Promise.resolve(1);
    };
    await run(async (handOver) => {
      expect([await handOver(), await handOver()]).toEqual([false, false]);
      return accepted;
    });
    expect(steps).toEqual(['claim', 'retry on attempt 1']);
  });

  it('whose claim was not answered completes nothing and gives the claim back', async () => {
    claim = () => Promise.reject(new Error('connection lost'));
    await expect(run(complete)).rejects.toThrow('connection lost');
    expect(steps).toEqual(['all but the end', 'claim', 'give back']);
  });

  it('that was refused while Postgres is away leaves the email to the next run', async () => {
    claim = () => Promise.reject(new Error('connection lost'));
    await expect(run(() => refused)).rejects.toThrow('connection lost');
    expect(steps).toEqual(['claim', 'give back']);
  });
});

import type { DeliveryProviders } from '../../../src/emails/delivery/delivery-providers.js';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { DeliverEmail } from '../../../src/emails/delivery/deliver-email.js';
import type { DeliverySettlement, DeliveryAttempt } from '../../../src/emails/delivery/delivery-settlement.js';
import type { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { EMAIL_LEASE_MS } from '../../../src/emails/delivery/lease.js';
import type { EmailRendering } from '../../../src/emails/delivery/email-rendering.js';
import { HeldLeases } from '../../../src/emails/delivery/held-leases.js';
import type { Lease } from '../../../src/emails/delivery/lease.js';
import type { EmailLoader } from '../../../src/emails/delivery/load-email.js';
import type { LoadedEmail } from '../../../src/emails/delivery/loaded-email.js';
import type { ClaimForCalls, ProviderCalls } from '../../../src/emails/delivery/provider-calls.js';
import type { DeliveryOutcome, HandOver } from '../../../src/providers/provider.js';

const accepted: DeliveryOutcome = { kind: 'accepted', providerId: 'p1' };
const refused: DeliveryOutcome = { kind: 'refused', reason: '550 No such user' };

let now: number;
let steps: string[];
let claim: () => Promise<number | undefined>;

beforeEach(() => {
  now = 0;
  steps = [];
  claim = () => Promise.resolve(1);
  jest.spyOn(globalThis.performance, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

/**
 * * Runs the job of a due email with this provider.
 * @param preparedAt when the email was loaded, if it was loaded before its turn
 */
async function run(
  deliver: (handOver: HandOver) => DeliveryOutcome | Promise<DeliveryOutcome>,
  preparedAt?: number,
): Promise<void> {
  let claimed: Lease | undefined;
  const state = {
    claim: (lease: Lease) => {
      claimed = lease;
      steps.push('claim');
      return claim();
    },
    giveBack: (lease: Lease) => {
      steps.push(lease.token === claimed?.token ? 'give back' : 'give back another');
      return Promise.resolve();
    },
  } as unknown as DeliveryState;
  const message = { organizationId: 'o1', envelopeRecipients: ['a@example.com'] };
  const email = { id: 'e1', status: 'queued', dueInMs: 0, attempts: 0, crashes: 0, message } as unknown as LoadedEmail;
  const settlement = {
    now: () => new Date(0),
    settle: ({ attempt, urls, lease }: DeliveryAttempt, { kind }: DeliveryOutcome) => {
      expect([urls, lease]).toEqual([['https://example.com'], claimed]);
      steps.push(`${kind} on attempt ${attempt}`);
      return Promise.resolve();
    },
  } as unknown as DeliverySettlement;
  const rendered = { subject: '', html: '', text: '', urls: ['https://example.com'] };
  const find = () => {
    if (preparedAt !== undefined) steps.push('load');
    return Promise.resolve(email);
  };
  const delivery = new DeliverEmail(
    { find } as unknown as EmailLoader,
    { render: () => Promise.resolve(rendered) } as unknown as EmailRendering,
    new HeldLeases(state, pino({ level: 'silent' })),
    {
      deliver: (...[, , , by]: [unknown, unknown, unknown, ClaimForCalls]) => deliver(() => by.allowsHandOver('p1')),
    } as unknown as ProviderCalls,
    settlement,
  );
  const prepared = preparedAt === undefined ? undefined : { email, render: () => rendered, loadedAt: preparedAt };
  await delivery.run({} as DeliveryProviders, { emailId: 'e1' }, 0, prepared);
}

/** A provider that has received all but the end of the message when it requests the claim. */
async function complete(handOver: HandOver): Promise<DeliveryOutcome> {
  steps.push('all but the end');
  if (!(await handOver())) return { kind: 'retry', reason: 'called off' };
  steps.push('the end');
  return accepted;
}

describe('a delivery', () => {
  it('claims its email right before it sends the end of the message', async () => {
    await run(complete);
    expect(steps).toEqual(['all but the end', 'claim', 'the end', 'accepted on attempt 1']);
  });

  it.each([
    [4_999, []],
    [5_000, ['load']],
  ])('of an email that was loaded %d ms before loads it again if that is too long ago', async (age, loads) => {
    now = age;
    await run(complete, 0);
    expect(steps).toEqual([...loads, 'all but the end', 'claim', 'the end', 'accepted on attempt 1']);
  });

  it('that ends before the message is complete claims its email to record the outcome', async () => {
    await run(() => refused);
    expect(steps).toEqual(['claim', 'refused on attempt 1']);
  });

  it('claims once, even if the provider requests the claim repeatedly', async () => {
    await run(async (handOver) => {
      expect([await handOver(), await handOver()]).toEqual([true, true]);
      return accepted;
    });
    expect(steps).toEqual(['claim', 'accepted on attempt 1']);
  });

  it('of an email that another worker holds completes nothing and records nothing', async () => {
    claim = () => Promise.resolve(undefined);
    await run(complete);
    expect(steps).toEqual(['all but the end', 'claim']);
  });

  it.each([
    [EMAIL_LEASE_MS / 2 - 1, ['the end', 'accepted on attempt 1']],
    [EMAIL_LEASE_MS / 2 + 1, ['retry on attempt 1']],
  ])('whose claim took %d ms, close to half a lease', async (tookMs, end) => {
    claim = () => {
      now += tookMs;
      return Promise.resolve(1);
    };
    await run(complete);
    expect(steps).toEqual(['all but the end', 'claim', ...end]);
  });

  it('whose claim took too long is refused each time the provider requests it', async () => {
    claim = () => {
      now += EMAIL_LEASE_MS / 2 + 1;
      return Promise.resolve(1);
    };
    await run(async (handOver) => {
      expect([await handOver(), await handOver()]).toEqual([false, false]);
      return accepted;
    });
    expect(steps).toEqual(['claim', 'retry on attempt 1']);
  });

  it('whose claim got no response completes nothing and returns the claim', async () => {
    claim = () => Promise.reject(new Error('connection lost'));
    await expect(run(complete)).rejects.toThrow('connection lost');
    expect(steps).toEqual(['all but the end', 'claim', 'give back']);
  });

  it('that was refused while Postgres is down leaves the email to the next run', async () => {
    claim = () => Promise.reject(new Error('connection lost'));
    await expect(run(() => refused)).rejects.toThrow('connection lost');
    expect(steps).toEqual(['claim', 'give back']);
  });

  it('releases its lease, even when it fails', async () => {
    const end = jest.spyOn(HeldLeases.prototype, 'end');
    await expect(run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(end).toHaveBeenCalledTimes(1);
  });
});

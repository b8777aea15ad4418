import { jest } from '@jest/globals';
import type { DeliveryAttempt, DeliverySettlement } from '../../../src/emails/delivery/delivery-settlement.js';
import { recordOutcome } from '../../../src/emails/delivery/record-outcome.js';
import type { DeliveryOutcome } from '../../../src/providers/provider.js';

const attempt = { attempt: 1 } as unknown as DeliveryAttempt;
const outcome: DeliveryOutcome = { kind: 'accepted', providerId: 'p1' };
const HOUR_MS = 3_600_000;

afterEach(() => jest.restoreAllMocks());

/**
 * Records an outcome, and returns the calls of the settlement.
 * @param results what `settle` returns in turn, each after this time: whether the status changed, or an error
 */
async function record(results: readonly (boolean | Error)[], elapsedMs = 0): Promise<string[]> {
  let now = 0;
  const acceptedAt = new Date(now);
  jest.spyOn(globalThis.performance, 'now').mockImplementation(() => now);
  const calls: string[] = [];
  const received: unknown[][] = [];
  const settle = (...values: unknown[]) => {
    received.push(values);
    const result = results[calls.push('settle') - 1]!;
    now += elapsedMs;
    return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
  };
  const reportFinal = () => Promise.resolve(void calls.push('report'));
  await recordOutcome(
    { now: () => new Date(now), settle, reportFinal } as unknown as DeliverySettlement,
    attempt,
    outcome,
  );
  expect(received).toEqual(received.map(() => [attempt, outcome, acceptedAt]));
  return calls;
}

const outage = Object.assign(new Error('the database system is shutting down'), { code: '57P01' });
const failure = Object.assign(new Error('division by zero'), { code: '22012' });

describe('an outcome that only this worker knows', () => {
  it('is kept until Postgres is up again, however long that takes, with the time of the outcome', async () => {
    expect(await record([outage, true], 24 * HOUR_MS)).toEqual(['settle', 'settle']);
  });

  it('is given up after ten minutes of failures that are not caused by an outage', async () => {
    expect(await record([failure, true], HOUR_MS / 7)).toHaveLength(2);
    await expect(record([failure, true], HOUR_MS / 5)).rejects.toBe(failure);
  });

  it('is reported if a repetition finds it recorded already, but not if another worker has the email', async () => {
    expect(await record([outage, false])).toEqual(['settle', 'settle', 'report']);
    expect(await record([false])).toEqual(['settle']);
  });
});

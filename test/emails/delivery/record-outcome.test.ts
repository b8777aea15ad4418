import { jest } from '@jest/globals';
import type { DeliveryAttempt, DeliverySettlement } from '../../../src/emails/delivery/delivery-settlement.js';
import { recordOutcome } from '../../../src/emails/delivery/record-outcome.js';
import type { DeliveryOutcome } from '../../../src/providers/provider.js';

const attempt = { attempt: 1 } as unknown as DeliveryAttempt;
const outcome: DeliveryOutcome = { kind: 'accepted', providerId: 'p1' };
const HOUR_MS = 3_600_000;

afterEach(() => jest.restoreAllMocks());

/** Records an outcome whose first attempt fails with this error after the given time. */
async function recordAfter(error: Error, elapsedMs: number): Promise<unknown[]> {
  let now = 0;
  jest.spyOn(globalThis.performance, 'now').mockImplementation(() => now);
  const settled: unknown[] = [];
  const settle = (...told: unknown[]) => {
    settled.push(told);
    if (settled.length > 1) return Promise.resolve();
    now += elapsedMs;
    return Promise.reject(error);
  };
  await recordOutcome({ settle } as unknown as DeliverySettlement, attempt, outcome);
  return settled;
}

describe('an outcome that only this worker knows', () => {
  it('is kept until Postgres is up again, however long that takes', async () => {
    const away = Object.assign(new Error('the database system is shutting down'), { code: '57P01' });
    expect(await recordAfter(away, 24 * HOUR_MS)).toEqual([
      [attempt, outcome],
      [attempt, outcome],
    ]);
  });

  it('is given up after ten minutes of failures that no outage explains', async () => {
    const failure = Object.assign(new Error('division by zero'), { code: '22012' });
    expect(await recordAfter(failure, HOUR_MS / 7)).toHaveLength(2);
    await expect(recordAfter(failure, HOUR_MS / 5)).rejects.toBe(failure);
  });
});

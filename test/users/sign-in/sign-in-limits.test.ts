import { TooManyRequestsError } from '../../../src/platform/http/too-many-requests-error.js';
import type { TokenBuckets } from '../../../src/platform/redis/token-buckets.js';
import { SignInLimits } from '../../../src/users/sign-in/sign-in-limits.js';

/** Buckets in memory that never refill. */
class FullBuckets {
  private readonly used = new Map<string, number>();

  take(name: string, capacity: number): Promise<{ taken: boolean; nextTokenInMs: number }> {
    const used = this.used.get(name) ?? 0;
    if (used >= capacity) return Promise.resolve({ taken: false, nextTokenInMs: 1_000 });
    this.used.set(name, used + 1);
    return Promise.resolve({ taken: true, nextTokenInMs: 0 });
  }

  giveBack(name: string): void {
    this.used.set(name, this.used.get(name)! - 1);
  }
}

let limits: SignInLimits;
beforeEach(() => {
  limits = new SignInLimits(new FullBuckets() as unknown as TokenBuckets);
});

async function attempts(count: number, account: string, networkAddress: string): Promise<number> {
  let allowed = 0;
  for (let attempt = 0; attempt < count; attempt++) {
    await limits.count({ account, networkAddress }).then(
      () => allowed++,
      (error: unknown) => expect(error).toBeInstanceOf(TooManyRequestsError),
    );
  }
  return allowed;
}

it('a blocked network cannot use up the attempts of an account', async () => {
  for (let account = 0; account < 6; account++) await attempts(10, `reader-${account}`, '192.0.2.1');
  expect(await attempts(20, 'ada', '192.0.2.1')).toBe(0);
  expect(await attempts(20, 'ada', '198.51.100.1')).toBe(10);
});

it('attempts on a blocked account do not block the network of others', async () => {
  expect(await attempts(100, 'ada', '192.0.2.1')).toBe(10);
  expect(await attempts(10, 'grace', '192.0.2.1')).toBe(10);
});

it('a successful attempt counts for neither', async () => {
  for (let attempt = 0; attempt < 100; attempt++) {
    (await limits.count({ account: 'ada', networkAddress: '192.0.2.1' }))();
  }
  expect(await attempts(10, 'ada', '192.0.2.1')).toBe(10);
});

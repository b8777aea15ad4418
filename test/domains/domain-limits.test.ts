import type { Settings } from '../../src/platform/config/settings.js';
import { DomainRateLimitError, DomainLimits } from '../../src/domains/domain-limits.js';
import type { TokenBuckets } from '../../src/platform/redis/token-buckets.js';

it('lets an organization verify 60 times a minute, regardless of its number of domains, without limiting others', async () => {
  const taken = new Map<string, number>();
  const buckets: Pick<TokenBuckets, 'take'> = {
    take: (bucket, limit) => {
      const count = (taken.get(bucket) ?? 0) + 1;
      taken.set(bucket, count);
      return Promise.resolve({ taken: count <= limit, remaining: limit - count, nextTokenInMs: 500, fullInMs: 500 });
    },
  };
  const limits = new DomainLimits(buckets as TokenBuckets, {} as Settings);
  for (let domain = 0; domain < 60; domain++) await limits.countVerification('ours', `domain-${domain}`);
  await expect(limits.countVerification('ours', 'domain-60')).rejects.toThrow(DomainRateLimitError);
  await limits.countVerification('theirs', 'domain-61');
});

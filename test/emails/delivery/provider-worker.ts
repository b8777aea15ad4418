import { DeliveryProviders } from '../../../src/emails/delivery/delivery-providers.js';
import type { ProviderInUse } from '../../../src/emails/delivery/provider-in-use.js';
import { ProviderPause } from '../../../src/emails/delivery/provider-pause.js';
import type { RedisConnection } from '../../../src/platform/redis/connect.js';
import type { DeliveryOutcome, DeliveryProvider } from '../../../src/providers/provider.js';
import { CapturedLog } from '../../support/captured-log.js';

export const UNKNOWN: DeliveryOutcome = { kind: 'ambiguous', reason: 'cut' };
export const REFUSED: DeliveryOutcome = { kind: 'refused', reason: 'no such sender' };
export const THROTTLED: DeliveryOutcome = { kind: 'throttled', reason: 'slow down', pauseMs: 1_000 };
export const WRONG_KEY: DeliveryOutcome = { kind: 'credential-refused', reason: 'wrong key' };
export const ACCEPTED: DeliveryOutcome = { kind: 'accepted', providerId: 'p' };

export const clock = { time: 1_000_000, now: () => clock.time };
const { logger } = new CapturedLog('info', ['worker']);

export interface ProviderWorker {
  readonly providers: DeliveryProviders;
  readonly inUse: ProviderInUse;
  readonly pause: ProviderPause;
}

/** A worker with its own view of the provider `smtp`. */
export function providerWorker(redis: RedisConnection, others: Partial<DeliveryProvider> = {}): ProviderWorker {
  const pause = new ProviderPause('smtp', redis, clock, logger);
  const inUse = { id: 'smtp', provider: { name: 'smtp', ...others } as DeliveryProvider, pause };
  return { providers: new DeliveryProviders([inUse], redis, clock, logger), inUse, pause };
}

/** Delivers an email of another organization than the one whose calls had unknown outcomes. */
export async function deliver(
  { providers }: ProviderWorker,
  outcome: DeliveryOutcome | Promise<DeliveryOutcome>,
  doubtfulProvider: string | null = null,
): Promise<{ calls: number; outcome: DeliveryOutcome }> {
  let calls = 0;
  const call = async () => {
    calls += 1;
    return { outcome: await outcome, stays: false };
  };
  const email = { id: 'email', doubtfulProvider, providerOfOthers: null, message: { organizationId: 'globex' } };
  const ended = await providers.deliver(email, call, AbortSignal.timeout(10_000));
  return { calls, outcome: ended };
}

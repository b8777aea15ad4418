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
  const inUse = providerInUse(redis, 'smtp', others);
  return { ...workerWith(redis, inUse), inUse, pause: inUse.pause };
}

/** A worker with several providers. */
export function workerWith(
  redis: RedisConnection,
  ...all: readonly ProviderInUse[]
): Pick<ProviderWorker, 'providers'> {
  return { providers: new DeliveryProviders(all, redis, clock, logger) };
}

export function providerInUse(
  redis: RedisConnection,
  id: string,
  others: Partial<DeliveryProvider> = {},
): ProviderInUse {
  const provider = { name: id, ...others } as DeliveryProvider;
  return { id, provider, pause: new ProviderPause(id, redis, clock, logger) };
}

/** Delivers an email of another organization than the one whose calls had unknown outcomes. */
export async function deliver(
  { providers }: Pick<ProviderWorker, 'providers'>,
  outcome: DeliveryOutcome | Promise<DeliveryOutcome>,
  doubtfulProvider: string | null = null,
): Promise<{ calls: number; called: readonly string[]; outcome: DeliveryOutcome }> {
  const called: string[] = [];
  const call = async ({ id }: ProviderInUse) => {
    called.push(id);
    return { outcome: await outcome, stays: false };
  };
  const email = { id: 'email', doubtfulProvider, providerOfOthers: null, message: { organizationId: 'globex' } };
  const ended = await providers.deliver(email, call, 10_000);
  return { calls: called.length, called, outcome: ended };
}

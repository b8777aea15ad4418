/** The reasons for a pause of deliveries. */
export const PAUSE_CAUSES = ['throttled', 'credential-refused', 'failing'] as const;
export type PauseCause = (typeof PAUSE_CAUSES)[number];

/**
 * Redis key that exists while no worker calls any provider of the service, with the cause of the pause that began last.
 * No ID has a colon, so it is the key of no provider.
 */
export const ALL_PAUSED_KEY = '{mailbeacon}:provider-pause:all:';

/** The ID for pauses of an organization's own provider: changed credentials are tried at once. */
export function pauseIdOf(providerId: string, version: number): string {
  return `${providerId}.${version}`;
}

/** Redis key that exists while no worker calls the provider, with the cause. */
export function providerPauseKey(id: string): string {
  return `{mailbeacon}:provider-pause:${id}`;
}

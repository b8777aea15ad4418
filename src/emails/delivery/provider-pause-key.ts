/** The reasons for a pause of deliveries. */
export const PAUSE_CAUSES = ['throttled', 'credential-refused'] as const;
export type PauseCause = (typeof PAUSE_CAUSES)[number];

/**
 * Redis key that exists while no worker calls any provider, with the cause of the pause that began last. No ID has a
 * colon, so it is the key of no provider.
 */
export const ALL_PAUSED_KEY = '{mailbeacon}:provider-pause:all:';

/** Redis key that exists while no worker calls the provider, with the cause. */
export function providerPauseKey(id: string): string {
  return `{mailbeacon}:provider-pause:${id}`;
}

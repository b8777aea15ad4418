/** The reasons for a pause of deliveries. */
export const PAUSE_CAUSES = ['throttled', 'credential-refused'] as const;
export type PauseCause = (typeof PAUSE_CAUSES)[number];

/** Redis key that exists while no worker calls the provider, with the cause. */
export function providerPauseKey(provider: string): string {
  return `{mailbeacon}:provider-pause:${provider}`;
}

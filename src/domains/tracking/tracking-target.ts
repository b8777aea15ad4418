import type { RunSettings } from '../../platform/config/settings.js';
import { readDomain } from '../../platform/config/setting-formats.js';

/** The name to which tracking domains must lead; undefined if the service has no public name. */
export function trackingTarget({
  TRACKING_DOMAIN_TARGET,
  BASE_URL,
}: Pick<RunSettings, 'TRACKING_DOMAIN_TARGET' | 'BASE_URL'>): string | undefined {
  if (TRACKING_DOMAIN_TARGET !== undefined) return TRACKING_DOMAIN_TARGET;
  const { hostname } = new URL(BASE_URL);
  const isAddress = /\d$/.test(hostname);
  return isAddress ? undefined : readDomain(hostname);
}

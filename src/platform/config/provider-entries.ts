import type { ProviderType } from './provider-credentials.js';
import type { ProviderEntry } from './provider-list.js';
import type { Settings } from './setting-definitions.js';

type ProviderSettings = Pick<Settings, 'PROVIDERS' | 'DELIVERY_PROVIDER' | 'SMTP_URL' | 'SENDGRID_API_KEY'>;

/** The providers of PROVIDERS, or the one of DELIVERY_PROVIDER, in order of preference. */
export function providerEntries(settings: ProviderSettings): readonly ProviderEntry[] {
  const { PROVIDERS, DELIVERY_PROVIDER: type, SMTP_URL: url = '', SENDGRID_API_KEY: apiKey = '' } = settings;
  if (PROVIDERS) return PROVIDERS;
  return [type === 'smtp' ? { id: type, type, credentials: { url } } : { id: type, type, credentials: { apiKey } }];
}

/** True if one of the providers is of this type. */
export function usesProvider(settings: ProviderSettings, type: ProviderType): boolean {
  return providerEntries(settings).some((entry) => entry.type === type);
}

import type { Settings } from '../platform/config/settings.js';
import type { SenderAuthentication } from './sender-authentication.js';
import { SendGridDomains } from './sendgrid/sendgrid-domains.js';

/**
 * How the provider that the settings name signs for the domains of senders; undefined where the signature is ours,
 * or where this process was not given the provider's credential. Apart from the registry, so that whoever asks for it
 * loads no provider.
 */
export function createSenderAuthentication(settings: Settings): SenderAuthentication | undefined {
  const { DELIVERY_PROVIDER, SENDGRID_API_KEY: apiKey, SENDGRID_API_URL: url } = settings;
  if (DELIVERY_PROVIDER !== 'sendgrid' || apiKey === undefined) return undefined;
  return new SendGridDomains({ apiKey, url });
}

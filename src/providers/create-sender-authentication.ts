import type { Settings } from '../platform/config/settings.js';
import type { SenderAuthentication } from './sender-authentication.js';
import { SendGridDomains } from './sendgrid/sendgrid-domains.js';

/**
 * Creates the sender authentication of the configured provider. Undefined when Mailbeacon signs mail itself, or when
 * this process lacks the provider's credential. Separate from the registry, so that its users load no provider.
 */
export function createSenderAuthentication(settings: Settings): SenderAuthentication | undefined {
  const { DELIVERY_PROVIDER, SENDGRID_API_KEY: apiKey, SENDGRID_API_URL: url } = settings;
  if (DELIVERY_PROVIDER !== 'sendgrid' || apiKey === undefined) return undefined;
  return new SendGridDomains({ apiKey, url });
}

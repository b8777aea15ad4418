import { providerEntries } from '../platform/config/provider-entries.js';
import type { Settings } from '../platform/config/settings.js';
import type { SenderAuthentication } from './sender-authentication.js';
import { SendGridDomains } from './sendgrid/sendgrid-domains.js';

/**
 * Creates the sender authentication of the first SendGrid account among the providers. Undefined when Mailbeacon signs
 * mail itself, or when this process lacks the provider's credential. Separate from the registry, so that its users load
 * no provider.
 */
export function createSenderAuthentication(settings: Settings): SenderAuthentication | undefined {
  const keys = providerEntries(settings).flatMap(({ type, credentials }) =>
    type === 'sendgrid' ? credentials.apiKey : [],
  );
  const [apiKey] = keys;
  return apiKey ? new SendGridDomains({ apiKey, url: settings.SENDGRID_API_URL }) : undefined;
}

import type { Clock } from '../platform/clock/clock.js';
import type { Settings } from '../platform/config/settings.js';
import type { DeliveryProvider } from './provider.js';
import { SendGridProvider } from './sendgrid/sendgrid-provider.js';
import { SmtpProvider } from './smtp/smtp-provider.js';

interface ProviderDependencies {
  readonly settings: Settings;
  /** The configured URL, or that of the embedded inbox. */
  readonly smtpUrl: string;
  readonly clock: Clock;
}

/** Mail servers limit the connections of one client, commonly to 50 (Postfix) or fewer. */
const MAX_SMTP_CONNECTIONS = 20;

/** All providers, by their value of DELIVERY_PROVIDER. */
const registry: Record<Settings['DELIVERY_PROVIDER'], (dependencies: ProviderDependencies) => DeliveryProvider> = {
  smtp: ({ settings, smtpUrl }) =>
    new SmtpProvider({
      url: smtpUrl,
      maxConnections: Math.min(settings.WORKER_CONCURRENCY, MAX_SMTP_CONNECTIONS),
    }),
  sendgrid: ({ settings, clock }) =>
    new SendGridProvider(
      {
        apiKey: settings.SENDGRID_API_KEY ?? '',
        url: settings.SENDGRID_API_URL,
        maxConnections: settings.WORKER_CONCURRENCY,
      },
      clock,
    ),
};

/** Creates the configured provider. It opens no connection before the first delivery. */
export function createProvider(settings: Settings, smtpUrl: string, clock: Clock): DeliveryProvider {
  return registry[settings.DELIVERY_PROVIDER]({ settings, smtpUrl, clock });
}

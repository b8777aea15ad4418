import type { Clock } from '../platform/clock/clock.js';
import type { ProviderType } from '../platform/config/provider-credentials.js';
import type { ProviderEntryOf } from '../platform/config/provider-list.js';
import type { Settings } from '../platform/config/settings.js';
import { MailgunProvider } from './mailgun/mailgun-provider.js';
import { PostmarkProvider } from './postmark/postmark-provider.js';
import type { DeliveryProvider } from './provider.js';
import { ResendProvider } from './resend/resend-provider.js';
import { SendGridProvider } from './sendgrid/sendgrid-provider.js';
import { SesProvider } from './ses/ses-provider.js';
import type { MailServerSockets } from './smtp/mail-server-sockets.js';
import type { SigningMemory } from './smtp/signing-memory.js';
import { SmtpProvider } from './smtp/smtp-provider.js';

export interface ProviderDependencies {
  readonly settings: Settings;
  readonly clock: Clock;
  /** For servers that an organization chose. */
  readonly sockets?: MailServerSockets;
  /** Shared by the SMTP providers of an organization, because it may have many. */
  readonly signingMemory?: SigningMemory;
}

/** Mail servers limit the connections of one client, commonly to 50 (Postfix) or fewer. */
const MAX_SMTP_CONNECTIONS = 20;

type Registry = {
  [Type in ProviderType]: (
    credentials: ProviderEntryOf<Type>['credentials'],
    dependencies: ProviderDependencies,
  ) => DeliveryProvider;
};

/** All providers, by their type. */
const registry: Registry = {
  smtp: ({ url }, { settings, sockets, signingMemory }) =>
    new SmtpProvider({
      url,
      maxConnections: Math.min(settings.WORKER_CONCURRENCY, MAX_SMTP_CONNECTIONS),
      ...(sockets && { sockets }),
      ...(signingMemory && { signingMemory }),
    }),
  sendgrid: ({ apiKey }, { settings, clock }) =>
    new SendGridProvider(
      { apiKey, url: settings.SENDGRID_API_URL, maxConnections: settings.WORKER_CONCURRENCY },
      clock,
    ),
  mailgun: ({ apiKey, domain }, { settings, clock }) =>
    new MailgunProvider(
      { apiKey, domain, url: settings.MAILGUN_API_URL, maxConnections: settings.WORKER_CONCURRENCY },
      clock,
    ),
  postmark: (credentials, { settings: { POSTMARK_API_URL: url, WORKER_CONCURRENCY: maxConnections }, clock }) =>
    new PostmarkProvider({ ...credentials, url, maxConnections }, clock),
  resend: ({ apiKey }, { settings, clock }) =>
    new ResendProvider({ apiKey, url: settings.RESEND_API_URL, maxConnections: settings.WORKER_CONCURRENCY }, clock),
  ses: (credentials, { settings: { SES_API_URL: url, WORKER_CONCURRENCY: maxConnections }, clock }) =>
    new SesProvider({ ...credentials, ...(url !== undefined && { url }), maxConnections }, clock),
};

/** Creates a provider. It opens no connection before the first delivery. */
export function createDeliveryProvider<Type extends ProviderType>(
  { type, credentials }: Pick<ProviderEntryOf<Type>, 'type' | 'credentials'>,
  dependencies: ProviderDependencies,
): DeliveryProvider {
  return registry[type](credentials, dependencies);
}

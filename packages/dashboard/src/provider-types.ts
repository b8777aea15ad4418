import type { CreateProvider, Provider } from './types';

export type ProviderType = Provider['type'];

/** A field of the credentials. */
interface CredentialField {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly isSecret?: true;
  readonly isOptional?: true;
}

interface ProviderKind {
  readonly name: string;
  readonly fields: readonly CredentialField[];
  /** What verifies reported events; absent if the provider reports none. */
  readonly eventKey?: string;
  readonly eventKeyPlaceholder?: string;
}

/** The code does not compile if the API has a type that is missing here. */
export const PROVIDER_KINDS: Readonly<Record<ProviderType, ProviderKind>> = {
  ses: {
    name: 'Amazon SES',
    fields: [
      { name: 'region', label: 'Region', placeholder: 'eu-west-1' },
      { name: 'accessKeyId', label: 'Access key ID' },
      { name: 'secretAccessKey', label: 'Secret access key', isSecret: true },
      { name: 'sessionToken', label: 'Session token', isSecret: true, isOptional: true },
      { name: 'configurationSet', label: 'Configuration set', isOptional: true },
    ],
    eventKey: 'ARN of the SNS topic with the events',
    eventKeyPlaceholder: 'arn:aws:sns:eu-west-1:123456789012:mail-events',
  },
  mailgun: {
    name: 'Mailgun',
    fields: [
      { name: 'apiKey', label: 'API key', isSecret: true },
      { name: 'domain', label: 'Sending domain in the account', placeholder: 'mg.acme.example' },
    ],
    eventKey: 'HTTP webhook signing key',
  },
  postmark: {
    name: 'Postmark',
    fields: [
      { name: 'serverToken', label: 'Server token', isSecret: true },
      { name: 'messageStream', label: 'Message stream', placeholder: 'outbound', isOptional: true },
    ],
    eventKey: 'User and password in the URL of the webhook',
    eventKeyPlaceholder: 'user:password',
  },
  resend: {
    name: 'Resend',
    fields: [{ name: 'apiKey', label: 'API key', isSecret: true }],
    eventKey: 'Signing secret of the webhook',
    eventKeyPlaceholder: 'whsec_…',
  },
  sendgrid: {
    name: 'SendGrid',
    fields: [{ name: 'apiKey', label: 'API key', isSecret: true }],
    eventKey: 'Verification key of the signed Event Webhook',
  },
  smtp: {
    name: 'SMTP server',
    fields: [{ name: 'url', label: 'Address', placeholder: 'smtps://user:password@smtp.acme.example:465' }],
  },
};

export const PROVIDER_TYPES = Object.keys(PROVIDER_KINDS) as ProviderType[];

/** The credentials of a form with the fields of the type. */
export function credentialsOf(type: ProviderType, form: FormData): CreateProvider['credentials'] {
  const given = PROVIDER_KINDS[type].fields.flatMap(({ name }) => {
    const value = form.get(name);
    return typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [];
  });
  return Object.fromEntries(given) as CreateProvider['credentials'];
}

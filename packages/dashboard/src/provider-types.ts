import type { CreateProvider, Provider } from './types';

export type ProviderType = Provider['type'];

export type Choice = readonly [value: string, label: string];

/** A field of the credentials. */
export interface CredentialField {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly isSecret?: true;
  readonly isOptional?: true;
  /** What may be chosen, the usual first. */
  readonly choices?: readonly Choice[];
}

interface ProviderKind {
  readonly name: string;
  readonly fields: readonly CredentialField[];
  /** Makes the credentials from the fields that have a value; absent if they are the fields. */
  readonly toCredentials?: (fields: ReadonlyMap<string, string>) => CreateProvider['credentials'];
  /** What verifies reported events; absent if the provider reports none. */
  readonly eventKey?: string;
  readonly eventKeyPlaceholder?: string;
}

/** The ports that the API allows. */
const SMTP_PORTS: readonly Choice[] = [
  ['587', '587 (STARTTLS)'],
  ['465', '465 (TLS)'],
  ['2525', '2525 (STARTTLS)'],
  ['25', '25 (STARTTLS)'],
];

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
    fields: [
      { name: 'host', label: 'Host', placeholder: 'smtp.acme.example' },
      { name: 'port', label: 'Port', choices: SMTP_PORTS },
      { name: 'user', label: 'User' },
      { name: 'password', label: 'Password', isSecret: true },
    ],
    toCredentials: smtpCredentials,
  },
};

export const PROVIDER_TYPES = Object.keys(PROVIDER_KINDS) as ProviderType[];

/** The credentials of a form with the fields of the type. */
export function credentialsOf(type: ProviderType, form: FormData): CreateProvider['credentials'] {
  const { fields, toCredentials } = PROVIDER_KINDS[type];
  const given = fields.flatMap(({ name }) => {
    const value = form.get(name);
    return typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [];
  });
  return toCredentials ? toCredentials(new Map(given)) : (Object.fromEntries(given) as CreateProvider['credentials']);
}

/** The URL of a server; user and password may have any characters. */
function smtpCredentials(fields: ReadonlyMap<string, string>): { url: string } {
  const encoded = (name: string): string => encodeURIComponent(fields.get(name) ?? '');
  const port = fields.get('port');
  const login = `${encoded('user')}:${encoded('password')}`;
  return { url: `${port === '465' ? 'smtps' : 'smtp'}://${login}@${fields.get('host')}:${port}` };
}

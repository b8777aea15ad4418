import { linkStart, optionalText, secret, url, uuid, variable, wholeNumber } from './setting-types.js';

/** Sending checks the rest. Without any address, all links to set a password would be lost. */
const ENDS_WITH_ADDRESS = /(^|<)[^\s<>@]+@[^\s<>@]+>?$/;

/** Settings of people who sign in. */
export const userVariables = {
  DASHBOARD_URL: linkStart({
    description: 'Public URL where people sign in, used in links to set a password (unset: BASE_URL)',
    example: 'https://mail.example.com',
    optional: true,
  }),
  SESSION_DAYS: wholeNumber({
    description: 'Days until users must sign in again; a session also ends after a week without a request',
    default: 30,
    min: 1,
    max: 400,
  }),
  USER_MAIL_ORGANIZATION: uuid({
    description: 'ID of the organization that sends links to set a password (unset: only the command line prints them)',
    example: '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77',
    optional: true,
  }),
  USER_MAIL_FROM: variable<string | undefined>(
    {
      description: 'Sender of mail about accounts (unset: no-reply at PLATFORM_SENDING_DOMAIN)',
      example: 'Mailbeacon <no-reply@mail.example.com>',
      optional: true,
    },
    'an email address, with or without a name',
    (value) => (ENDS_WITH_ADDRESS.test(value) ? value : undefined),
  ),
  OIDC_ISSUER: url(['http:', 'https:'], {
    description:
      'OpenID Connect provider at which users can sign in, by a verified email address; register DASHBOARD_URL/api/session/oidc/callback there (unset: none)',
    example: 'https://login.example.com',
    optional: true,
  }),
  OIDC_CLIENT_ID: optionalText({
    description: 'Client ID at OIDC_ISSUER',
    example: 'mailbeacon',
    optional: true,
  }),
  OIDC_CLIENT_SECRET: secret({
    description: 'Client secret at OIDC_ISSUER',
    example: 'example-client-secret-of-oidc',
    optional: true,
  }),
};

interface ProviderSettings {
  readonly OIDC_ISSUER: string | undefined;
  readonly OIDC_CLIENT_ID: string | undefined;
}

/** Problems with the settings of the OpenID provider, one line each. */
export function checkOpenIdProvider({ OIDC_ISSUER, OIDC_CLIENT_ID }: ProviderSettings): string[] {
  const problems: string[] = [];
  if ((OIDC_ISSUER === undefined) !== (OIDC_CLIENT_ID === undefined)) {
    problems.push('OIDC_ISSUER and OIDC_CLIENT_ID must be set together, for example OIDC_CLIENT_ID=mailbeacon');
  }
  const { protocol, hostname } = new URL(OIDC_ISSUER ?? 'https://unset');
  if (protocol !== 'https:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
    problems.push('OIDC_ISSUER must start with https://, for example OIDC_ISSUER=https://login.example.com');
  }
  return problems;
}

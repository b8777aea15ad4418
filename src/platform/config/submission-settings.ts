import { optionalInteger, optionalText, type Variable } from './setting-types.js';

/** Settings of the SMTP listener that accepts mail of organizations. */
export const submissionVariables = {
  SUBMISSION_PORT: optionalInteger({
    description:
      'Port of the SMTP listener that accepts mail with an API key as password, the role smtp (unset: no listener, or one at 2587 or the next free port of this machine with the embedded inbox and all roles)',
    example: '587',
    optional: true,
    min: 0,
    max: 65535,
  }),
  SUBMISSION_TLS_CERTIFICATE: optionalText({
    description:
      'File with the TLS certificate of the role smtp and its chain, in PEM; a renewed one is read within a minute (unset: a self-signed one, only where HOST is an address of this machine)',
    example: '/etc/mailbeacon/tls/fullchain.pem',
    optional: true,
  }),
  SUBMISSION_TLS_KEY: optionalText({
    description: 'File with the private key of SUBMISSION_TLS_CERTIFICATE, in PEM',
    example: '/etc/mailbeacon/tls/privkey.pem',
    optional: true,
  }),
} satisfies Record<string, Variable<unknown>>;

import { optionalDomain, optionalInteger, secret, type Variable } from './setting-types.js';

/** Settings of the bounces of plain SMTP. */
export const bounceVariables = {
  BOUNCE_DOMAIN: optionalDomain({
    description:
      'Domain of the envelope sender of mail over SMTP, where bounces and abuse reports arrive; its MX record must lead to BOUNCE_SMTP_PORT or to a mail server that posts them (unset: the address of the From header, or bounces.mailbeacon.localhost with the embedded inbox)',
    example: 'bounces.example.com',
    optional: true,
  }),
  BOUNCE_SMTP_PORT: optionalInteger({
    description:
      'Port of the SMTP listener for bounces, the role bounces (unset: no listener, or one at a free port of this machine with the embedded inbox and all roles)',
    example: '25',
    optional: true,
    min: 0,
    max: 65535,
  }),
  BOUNCE_INTAKE_SECRET: secret({
    description:
      'Bearer token of POST /api/providers/smtp/bounces, for mail servers that post bounces (unset: no route)',
    example: 'a-long-random-secret',
    optional: true,
  }),
} satisfies Record<string, Variable<unknown>>;

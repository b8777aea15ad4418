import { optionalDomain, type Variable } from './setting-types.js';

/** Settings of the bounces of plain SMTP. */
export const bounceVariables = {
  BOUNCE_DOMAIN: optionalDomain({
    description:
      'Domain of the envelope sender of mail over SMTP, where bounces and abuse reports arrive (unset: the address of the From header)',
    example: 'bounces.example.com',
    optional: true,
  }),
} satisfies Record<string, Variable<unknown>>;

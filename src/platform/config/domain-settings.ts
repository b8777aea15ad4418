import { wholeNumber, addressList, type Variable } from './setting-types.js';

/** Settings of sending domains. */
export const domainVariables = {
  DNS_SERVERS: addressList({
    description: "DNS resolvers for the checks of sending domains, as address:port,… (unset: the system's)",
    example: '1.1.1.1:53,[2606:4700:4700::1111]:53',
    optional: true,
  }),
  DOMAIN_CREATIONS_PER_HOUR: wholeNumber({
    description: 'Sending domains an organization may add per hour; each needs a new signing key (0: no limit)',
    default: 30,
    min: 0,
    max: 100_000,
  }),
} satisfies Record<string, Variable<unknown>>;

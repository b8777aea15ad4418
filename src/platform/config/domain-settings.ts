import { wholeNumber, servers, type Variable } from './setting-types.js';

/** What is asked about the domains that organizations send from, and how many they may add. */
export const domainVariables = {
  DNS_SERVERS: servers({
    description: "Resolvers asked about sending domains, as address:port,… (unset: the system's)",
    example: '1.1.1.1:53,[2606:4700:4700::1111]:53',
    optional: true,
  }),
  DOMAIN_CREATIONS_PER_HOUR: wholeNumber({
    description: 'Sending domains an organization may add per hour; each costs a signing key (0: no limit)',
    default: 30,
    min: 0,
    max: 100_000,
  }),
} satisfies Record<string, Variable<unknown>>;

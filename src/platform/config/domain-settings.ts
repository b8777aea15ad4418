import { addressList, choice, optionalDomain, wholeNumber, type Variable } from './setting-types.js';

/** Settings of sending domains and tracking domains. */
export const domainVariables = {
  DNS_SERVERS: addressList({
    description: "DNS resolvers for the checks of domains, as address:port,… (unset: the system's)",
    example: '1.1.1.1:53,[2606:4700:4700::1111]:53',
    optional: true,
  }),
  DOMAIN_CREATIONS_PER_HOUR: wholeNumber({
    description:
      'Sending and tracking domains an organization may add per hour; each sending domain needs a new signing key (0: no limit)',
    default: 30,
    min: 0,
    max: 100_000,
  }),
  TRACKING_DOMAIN_TARGET: optionalDomain({
    description: 'Public name of the tracking hosts, to which tracking domains lead by CNAME (unset: host of BASE_URL)',
    example: 'track.example.com',
    optional: true,
  }),
  TRACKING_DOMAIN_SCHEME: choice(['https', 'http'], {
    description: 'Scheme of links with tracking domains; https needs a proxy with certificates for them',
    default: 'https',
  }),
} satisfies Record<string, Variable<unknown>>;

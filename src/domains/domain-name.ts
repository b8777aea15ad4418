import { domainToUnicode } from 'node:url';
import { getPublicSuffix } from 'tldts';
import { domainInAscii } from '../platform/addresses/domain-in-ascii.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
/** At least two labels. The last must not be a number, because an IP address is not a domain. */
const DOMAIN = new RegExp(`^(${LABEL}\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`);
const LONGEST_TEXT = 1_000;
/** 253 (RFC 1035, 2.3.4) minus the longest prefix of our record names. */
const LONGEST_DOMAIN = 220;

const FORM = 'must be a domain name like example.com, without https://, @, path or *';

/**
 * Converts a domain to its canonical form for comparisons: lower-case A-labels (RFC 5890). Only UTS 46 is applied, so
 * domains that merely resemble each other stay different.
 * @param platformDomain domain of rewritten senders, which no organization may claim
 * @throws InvalidFieldError for a domain that no organization can send from
 */
export function readDomainName(text: string, platformDomain: string): string {
  const written = text.trim();
  // DNS panels show absolute names with a final dot; it names the same domain.
  const domain = written.length > LONGEST_TEXT ? '' : domainInAscii(written).replace(/\.$/, '');
  if (!DOMAIN.test(domain)) throw new InvalidFieldError('domain', FORM);
  if (domain.length > LONGEST_DOMAIN) {
    throw new InvalidFieldError('domain', `must have at most ${LONGEST_DOMAIN} characters`);
  }
  if (domain === platformDomain || domain.endsWith(`.${platformDomain}`)) {
    throw new InvalidFieldError('domain', 'belongs to this service, which sends from it for all organizations');
  }
  if (getPublicSuffix(domain, { allowPrivateDomains: true }) === domain) {
    throw new InvalidFieldError(
      'domain',
      'is a public suffix under which anyone can register a name: use a domain of your own',
    );
  }
  return domain;
}

/** The domain in Unicode: `bücher.example` for `xn--bcher-kva.example`. */
export function shownDomain(domain: string): string {
  return domainToUnicode(domain) || domain;
}

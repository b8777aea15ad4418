import { domainToASCII, domainToUnicode } from 'node:url';
import { getPublicSuffix } from 'tldts';
import { InvalidFieldError } from '../platform/errors/domain-error.js';

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
/** At least two labels, the last of which is no number: an IP address is not a domain. */
const DOMAIN = new RegExp(`^(${LABEL}\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`);
const LONGEST_TEXT = 1_000;
/** 253 (RFC 1035, 2.3.4) less the longest name that we put in front of it. */
const LONGEST_DOMAIN = 220;

const FORM = 'must be a domain name like example.com, without https://, @, path or *';

/**
 * A domain in the one form in which domains are compared: lower-case A-labels (RFC 5890), made by UTS 46 and by
 * nothing else, so that what only looks like another domain stays another domain.
 * @param platformDomain the domain that unverified senders are moved to, which nobody may claim
 * @throws InvalidFieldError for what no organization can send from
 */
export function readDomainName(text: string, platformDomain: string): string {
  const written = text.trim();
  // The dot at the end of an absolute name is how DNS panels show it, not another domain.
  const domain = written.length > LONGEST_TEXT ? '' : domainToASCII(written).replace(/\.$/, '');
  if (!DOMAIN.test(domain)) throw new InvalidFieldError('domain', FORM);
  if (domain.length > LONGEST_DOMAIN) {
    throw new InvalidFieldError('domain', `must have at most ${LONGEST_DOMAIN} characters`);
  }
  if (domain === platformDomain || domain.endsWith(`.${platformDomain}`)) {
    throw new InvalidFieldError('domain', 'belongs to this service, which sends from it for everybody');
  }
  if (getPublicSuffix(domain, { allowPrivateDomains: true }) === domain) {
    throw new InvalidFieldError('domain', 'is a suffix below which anybody can get a name: give a domain of your own');
  }
  return domain;
}

/** As people write it: `bücher.example` for `xn--bcher-kva.example`. */
export function shownDomain(domain: string): string {
  return domainToUnicode(domain) || domain;
}

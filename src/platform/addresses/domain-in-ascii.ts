import { domainToASCII } from 'node:url';

/** Node ends a host at some of them, decodes "%", and drops tabs and line breaks (WHATWG URL, 3.5 and 4.4). */
const IN_NO_DOMAIN = /[\0-\x20%/?#\\]/;

/**
 * The A-labels of a domain in any script (RFC 5890), in lower case. Empty for a text that is not as a whole a domain,
 * so that `example.com/x` does not count as `example.com`.
 */
export function domainInAscii(text: string): string {
  return IN_NO_DOMAIN.test(text) ? '' : domainToASCII(text);
}

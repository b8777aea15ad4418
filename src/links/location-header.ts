import { domainToASCII } from 'node:url';

const NEEDS_NO_CHANGE = /^[\x20-\x7e]*$/;
const NOT_FOR_HEADERS = /[^\x20-\x7e]+/g;
/** Scheme, user information, host, and the rest (RFC 3986, appendix B); browsers end a host at "\" as at "/". */
const PARTS = /^(https?:\/\/)([^/?#\\]*@)?([^/?#\\:]*)(.*)$/is;

/**
 * The value of a `Location` header that leads where `url` leads: the same bytes, except that what a header cannot
 * carry is written as a browser would: a non-ASCII host as A-labels (RFC 5890), everything else as percent-encoded
 * UTF-8 (RFC 3987, 3.1).
 * @param url an absolute http or https URL
 */
export function locationOf(url: string): string {
  if (NEEDS_NO_CHANGE.test(url)) return url;
  const [, scheme = '', user = '', host = '', rest = ''] = PARTS.exec(url) ?? [];
  return scheme + percentEncoded(user) + asciiHost(host) + percentEncoded(rest);
}

function asciiHost(host: string): string {
  return NEEDS_NO_CHANGE.test(host) ? host : domainToASCII(host) || percentEncoded(host);
}

function percentEncoded(text: string): string {
  return text.replace(NOT_FOR_HEADERS, (run) =>
    Array.from(Buffer.from(run), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

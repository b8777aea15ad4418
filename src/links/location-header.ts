import { domainToASCII } from 'node:url';

const NEEDS_NO_CHANGE = /^[\x20-\x7e]*$/;
const NOT_FOR_HEADERS = /[^\x20-\x7e]+/g;
/** Scheme, user information, host and rest (RFC 3986, appendix B). Browsers end a host at "\" as well as at "/". */
const PARTS = /^(https?:\/\/)([^/?#\\]*@)?([^/?#\\:]*)(.*)/is;

/**
 * Converts a URL to a `Location` header value. Only characters that a header cannot contain change, as in a browser:
 * a non-ASCII host becomes A-labels (RFC 5890), everything else percent-encoded UTF-8 (RFC 3987, 3.1).
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

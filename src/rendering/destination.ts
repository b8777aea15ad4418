import { decodeHTMLAttribute } from 'entities/decode';
import { MAX_URL_BYTES } from '../links/link-token.js';
import { parseUrl } from '../platform/addresses/parse-url.js';

const UNCLEAN = /[\0-\x20]/;
const NUL = /\0/g;
const LINE_BREAKS_AND_TABS = /[\t\n\r]+/g;
/**
 * Matches nearly all links: an ASCII host that is neither a number nor an A-label, without blanks, control characters
 * or character references except "&amp;". The URL parser checks all other values.
 */
const PLAIN_VALUE =
  /^https?:\/\/(?![^/]*xn--)(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*(?::\d{1,4})?(?:[/?#](?:[^\0-\x20&]|&amp;)*)?$/i;
const AMPERSANDS = /&amp;/g;
/** Longer than any encoding of a trackable URL. Bounds the cost of decoding character references. */
const MAX_VALUE_LENGTH = 16 * MAX_URL_BYTES;
const AUTHORITY = /^https?:\/\/([^/\\?#]+)/i;

/**
 * Returns the destination of an attribute value if it is an absolute http or https URL. Decodes character references
 * and removes the blanks that URL parsers remove; everything else stays byte for byte. Undefined for other schemes,
 * relative URLs, template placeholders, invalid hosts and URLs of more than MAX_URL_BYTES.
 */
export function webDestination(attributeValue: string): string | undefined {
  if (attributeValue.length > MAX_VALUE_LENGTH) return undefined;
  const isPlain = PLAIN_VALUE.test(attributeValue);
  const url = isPlain ? attributeValue.replace(AMPERSANDS, '&') : asBrowsersRead(attributeValue);
  if (url.length * 3 > MAX_URL_BYTES && Buffer.byteLength(url) > MAX_URL_BYTES) return undefined;
  if (isPlain) return url;
  const authority = AUTHORITY.exec(url)?.[1];
  // A host with braces is a template placeholder that another system fills in.
  if (authority === undefined || /[{}]/.test(authority) || !parseUrl(url)) return undefined;
  return url;
}

/** Steps of the attribute value states (WHATWG HTML 13.2.5.36 ff.) and of the basic URL parser (WHATWG URL 4.4). */
function asBrowsersRead(attributeValue: string): string {
  let url = attributeValue;
  if (url.includes('&')) url = decodeHTMLAttribute(url);
  if (!UNCLEAN.test(url)) return url;
  return withoutBlanksAround(url.replace(NUL, '\ufffd')).replace(LINE_BREAKS_AND_TABS, '');
}

/** Not a regular expression: one for trailing blanks takes quadratic time for blanks in the middle. */
function withoutBlanksAround(url: string): string {
  let start = 0;
  let end = url.length;
  while (start < end && url.charCodeAt(start) <= 0x20) start++;
  while (end > start && url.charCodeAt(end - 1) <= 0x20) end--;
  return url.slice(start, end);
}

import { decodeHTMLAttribute } from 'entities/decode';
import { MAX_URL_BYTES } from '../links/link-token.js';

const UNCLEAN = /[\0-\x20]/;
const NUL = /\0/g;
const LINE_BREAKS_AND_TABS = /[\t\n\r]+/g;
/**
 * Nearly all links: a host of plain letters that is no number and no A-label, and no blank, control or character
 * reference but "&amp;". What does not match is looked at again by the URL parser.
 */
const PLAIN_VALUE =
  /^https?:\/\/(?![^/]*xn--)(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*(?::\d{1,4})?(?:[/?#](?:[^\0-\x20&]|&amp;)*)?$/i;
const AMPERSANDS = /&amp;/g;
/** No URL worth tracking is longer, however it is spelled; it keeps character references from being decoded in bulk. */
const MAX_VALUE_LENGTH = 16 * MAX_URL_BYTES;
const AUTHORITY = /^https?:\/\/([^/\\?#]+)/i;

/**
 * The destination of an attribute value when it is an absolute http or https URL: what a browser would ask for, with
 * character references decoded and the blanks dropped that URL parsers drop, and otherwise byte for byte.
 * undefined for everything else: other schemes, relative URLs, template placeholders, hosts that cannot be, and URLs
 * of more than MAX_URL_BYTES.
 */
export function webDestination(attributeValue: string): string | undefined {
  if (attributeValue.length > MAX_VALUE_LENGTH) return undefined;
  const isPlain = PLAIN_VALUE.test(attributeValue);
  const url = isPlain ? attributeValue.replace(AMPERSANDS, '&') : asBrowsersRead(attributeValue);
  if (url.length * 3 > MAX_URL_BYTES && Buffer.byteLength(url) > MAX_URL_BYTES) return undefined;
  if (isPlain) return url;
  const authority = AUTHORITY.exec(url)?.[1];
  // Braces are no host's: somebody else is to fill in this one.
  if (authority === undefined || /[{}]/.test(authority) || !parses(url)) return undefined;
  return url;
}

/** Steps of the attribute value states (WHATWG HTML 13.2.5.36 ff.) and of the basic URL parser (WHATWG URL 4.4). */
function asBrowsersRead(attributeValue: string): string {
  let url = attributeValue;
  if (url.includes('&')) url = decodeHTMLAttribute(url);
  if (!UNCLEAN.test(url)) return url;
  return withoutBlanksAround(url.replace(NUL, '\ufffd')).replace(LINE_BREAKS_AND_TABS, '');
}

/** By hand: an expression for blanks at the end takes quadratic time over blanks in the middle. */
function withoutBlanksAround(url: string): string {
  let start = 0;
  let end = url.length;
  while (start < end && url.charCodeAt(start) <= 0x20) start++;
  while (end > start && url.charCodeAt(end - 1) <= 0x20) end--;
  return url.slice(start, end);
}

/** Not `URL.canParse`: in Node 20, once optimized, it takes Latin-1 letters such as "ü" for a fault. */
function parses(url: string): boolean {
  try {
    new URL(url);
    return true;
  } catch {
    return false;
  }
}

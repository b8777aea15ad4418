/** Schemes whose addresses a reader can use as they are, without the scheme and its parameters. */
const ADDRESS = /^(mailto|tel|sms):([^?]*)/i;
/** Would end the brackets around the address, or not be seen. */
const UNREADABLE = /[<>\p{Cc}\p{Cf}\u2028\u2029]/u;
/** A URL of the web, also one that begins with a variable. */
const WEB_URL = /^(?:https?:|\ue000)/i;
/** What would end a URL in a text, or not be seen; first, placeholders of other systems, which stay as they are. */
const TO_ENCODE = /(\{[^{}]*\}|<%[^%<>]*%>)|[\s<>\p{Cc}\p{Cf}]/gu;
/** Words that may be a telephone number. Characters of private use, which stand for variables, are none. */
const NUMBER = /^[\p{L}\p{M}\p{P}\p{S}\p{Zs}\d]+$/u;

/** What the text part shows of the destination of a link; empty for a place in the same document. */
export function shownDestination(href: string): string {
  // As browsers read it (WHATWG URL 4.4).
  const url = href.trim().replace(/[\t\n\r]+/g, '');
  const [, scheme, address] = ADDRESS.exec(url) ?? [];
  if (scheme === undefined) return url.startsWith('#') ? '' : WEB_URL.test(url) ? encoded(url) : url;
  const shown = decoded(address!);
  if (scheme.toLowerCase() === 'mailto') return shown.startsWith('#') ? '' : shown;
  const [number = '', ...parameters] = shown.split(';');
  const extension = parameters.find((parameter) => /^ext=/i.test(parameter));
  return extension === undefined ? number : `${number} ext. ${extension.slice(4)}`;
}

/**
 * True if the words of a link show its destination already: a URL as it is, an address in any case, and a telephone
 * number with any characters between its digits.
 * @param words without whitespace
 * @param shown the result of `shownDestination`
 */
export function namesDestination(words: string, href: string, shown: string): boolean {
  if (words === shown) return true;
  const scheme = ADDRESS.exec(href.trimStart())?.[1]?.toLowerCase();
  if (scheme === undefined) return false;
  if (scheme === 'mailto') return words.toLowerCase() === shown.toLowerCase();
  const digits = digitsOf(words);
  return NUMBER.test(words) && NUMBER.test(shown) && digits !== '' && digits === digitsOf(shown);
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** As browsers send it. */
function encoded(url: string): string {
  return url.replace(TO_ENCODE, (part, placeholder?: string) => placeholder ?? encodeURIComponent(part));
}

function decoded(address: string): string {
  try {
    const text = decodeURIComponent(address);
    return UNREADABLE.test(text) ? address : text;
  } catch {
    return address;
  }
}

/** Blanks inside the braces are optional. Editors percent-encode the braces of an address. */
const PLACE = /(?:\{\{|%7B%7B)(?:\s|%20)*unsubscribe_url(?:\s|%20)*(?:\}\}|%7D%7D)/gi;
/** Bounds the output: an address is many times as long as its placeholder. */
const MAX_PLACES = 100;
const ESCAPED: Record<string, string> = { '&': '&amp;', '"': '&quot;', "'": '&#39;', '<': '&lt;', '>': '&gt;' };

/**
 * Replaces each `{{unsubscribe_url}}` of an HTML document, up to the hundredth, by the address. Adds nothing if there
 * is no placeholder.
 */
export function withUnsubscribeUrl(html: string, url: string): string {
  return replacePlaces(
    html,
    url.replace(/[&"'<>]/g, (character) => ESCAPED[character]!),
  );
}

/** The same for a text part, if there is one. */
export function withUnsubscribeUrlInText(text: string | undefined, url: string): string | undefined {
  return text === undefined ? undefined : replacePlaces(text, url);
}

export function hasUnsubscribePlace(text: string): boolean {
  return text.search(PLACE) !== -1;
}

function replacePlaces(content: string, address: string): string {
  let places = 0;
  return content.replace(PLACE, (place) => (++places > MAX_PLACES ? place : address));
}

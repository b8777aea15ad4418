import { isLetter, SLASH } from './html-scanner/characters.js';
import { commentFrom } from './html-scanner/comment.js';
import { endOfName, endOfTag } from './html-scanner/tag.js';

/** The elements whose text appears in the mail. The compiler drops text everywhere else, without an error. */
const SHOWS_TEXT = new Set([
  ...['mj-text', 'mj-button', 'mj-table', 'mj-raw', 'mj-social-element', 'mj-navbar-link'],
  ...['mj-accordion-title', 'mj-accordion-text', 'mj-title', 'mj-preview', 'mj-style', 'mj-html-attribute'],
]);

const LIQUID = /\{[%{]/;
const SELF_CLOSING = /(?:^|[\s"'])\/$/;

/** A tag or output of a template that the compiler would drop. */
export interface DroppedLiquid {
  readonly at: number;
  /** As an error shows it, such as `{% if %}`. */
  readonly shown: string;
}

/** The first Liquid between elements of MJML, or undefined. */
export function findDroppedLiquid(mjml: string): DroppedLiquid | undefined {
  if (!LIQUID.test(mjml)) return undefined;
  // Where text that is not checked yet begins.
  let text = 0;
  for (let start = mjml.indexOf('<'); start !== -1; start = mjml.indexOf('<', start)) {
    const end = endOfMarkup(mjml, start);
    // Without an end, the compiler has an error of its own.
    if (end === -1) return undefined;
    if (end > start + 1) {
      const found = liquidIn(mjml, text, start);
      if (found) return found;
      text = end;
    }
    start = end;
  }
  return liquidIn(mjml, text, mjml.length);
}

function liquidIn(mjml: string, from: number, to: number): DroppedLiquid | undefined {
  const at = mjml.slice(from, to).search(LIQUID);
  if (at === -1) return undefined;
  const [, name] = /^\{%-?\s*(\w{1,20})/.exec(mjml.slice(from + at, from + at + 40)) ?? [];
  const opening = mjml.startsWith('{{', from + at) ? '{{ … }}' : `{% ${name ?? '…'} %}`;
  return { at: from + at, shown: opening };
}

/**
 * Returns the index after a comment, a tag, or an element whose text is shown; after the "<" if it begins none of them;
 * -1 if it has no end.
 */
function endOfMarkup(mjml: string, start: number): number {
  if (mjml.startsWith('<!--', start)) return commentFrom(mjml, start + 4)?.end ?? -1;
  const isEnd = mjml.charCodeAt(start + 1) === SLASH;
  if (!isLetter(mjml.charCodeAt(start + (isEnd ? 2 : 1)))) return start + 1;
  const nameEnd = endOfName(mjml, start + (isEnd ? 2 : 1));
  const end = endOfTag(mjml, nameEnd);
  const name = mjml.slice(start + 1, nameEnd);
  if (end === -1 || !SHOWS_TEXT.has(name) || SELF_CLOSING.test(mjml.slice(nameEnd, end - 1))) return end;
  const close = mjml.indexOf(`</${name}`, end);
  return close === -1 ? -1 : endOfTag(mjml, close + 2 + name.length);
}

import { isLetter, SLASH } from './html-scanner/characters.js';
import { commentFrom } from './html-scanner/comment.js';
import { endOfName, endOfTag } from './html-scanner/tag.js';

/** The elements whose text appears in the mail. The compiler drops text everywhere else, without an error. */
const SHOWS_TEXT = new Set([
  ...['mj-text', 'mj-button', 'mj-table', 'mj-raw', 'mj-social-element', 'mj-navbar-link'],
  ...['mj-accordion-title', 'mj-accordion-text', 'mj-title', 'mj-preview', 'mj-style', 'mj-html-attribute'],
]);

/** A tag or an output; the name of a tag is in its group. */
const LIQUID = /\{(?:\{|%-?\s{0,9}(\w{1,20})?)/g;
/** Shows nothing, and ends nothing that is open: the compiler may drop it. */
const INLINE_COMMENT = /\{%-?\s{0,9}#/y;
const COMMENT_END = /\{%-?\s{0,9}endcomment\s{0,9}-?%\}/g;
const SELF_CLOSING = /(?:^|[\s"'])\/$/;

/** A tag or output of a template that the compiler would drop. */
export interface DroppedLiquid {
  readonly at: number;
  /** As an error shows it, such as `{% if %}`. */
  readonly shown: string;
}

/** The first Liquid between elements of MJML, except comments without elements, or undefined. */
export function findDroppedLiquid(mjml: string): DroppedLiquid | undefined {
  if (!mjml.includes('{%') && !mjml.includes('{{')) return undefined;
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
  const text = mjml.slice(from, to);
  for (let at = 0; ;) {
    LIQUID.lastIndex = at;
    const found = LIQUID.exec(text);
    if (!found) return undefined;
    const [start, name] = found;
    const end = endOfLiquidComment(text, found.index, name);
    if (end === -1) return { at: from + found.index, shown: start === '{{' ? '{{ … }}' : `{% ${name ?? '…'} %}` };
    at = end;
  }
}

/** Returns the index after a comment of Liquid that ends within the text, or -1 for all else. */
function endOfLiquidComment(text: string, at: number, name: string | undefined): number {
  if (name === 'comment') {
    COMMENT_END.lastIndex = at;
    return COMMENT_END.test(text) ? COMMENT_END.lastIndex : -1;
  }
  INLINE_COMMENT.lastIndex = at;
  const end = INLINE_COMMENT.test(text) ? text.indexOf('%}', at) : -1;
  return end === -1 ? -1 : end + 2;
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
  return endOfElement(mjml, name, end);
}

/** As the compiler does, passes comments and elements of the same name. @param at the index after its start tag */
function endOfElement(mjml: string, name: string, at: number): number {
  const marks = new RegExp(`<!--|<(/?)${name}(?![\\w-])`, 'g');
  marks.lastIndex = at;
  for (let depth = 1; ;) {
    const mark = marks.exec(mjml);
    if (!mark) return -1;
    let end = marks.lastIndex;
    if (mark[0] === '<!--') end = commentFrom(mjml, end)?.end ?? -1;
    else if (mark[1] !== '/') depth++;
    else if (--depth === 0) return endOfTag(mjml, end);
    if (end === -1) return -1;
    marks.lastIndex = end;
  }
}

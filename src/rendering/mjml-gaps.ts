import { isLetter, SLASH } from './html-scanner/characters.js';
import { commentFrom } from './html-scanner/comment.js';
import { endOfName, endOfTag } from './html-scanner/tag.js';

/** The elements whose text appears in the mail. The compiler drops text everywhere else, without an error. */
const SHOWS_TEXT = new Set([
  ...['mj-text', 'mj-button', 'mj-table', 'mj-raw', 'mj-social-element', 'mj-navbar-link'],
  ...['mj-accordion-title', 'mj-accordion-text', 'mj-title', 'mj-preview', 'mj-style', 'mj-html-attribute'],
]);

const SELF_CLOSING = /(?:^|[\s"'])\/$/;

/** Text between elements, and where it begins. */
export interface Gap {
  readonly text: string;
  readonly at: number;
}

/** The text that the compiler drops: all that is in no element that shows its text, and in no comment. */
export function* gapsOf(mjml: string): Generator<Gap> {
  let at = 0;
  for (let start = mjml.indexOf('<'); start !== -1; start = mjml.indexOf('<', start)) {
    const end = endOfMarkup(mjml, start);
    // `findUnended` finds it.
    if (end === -1) return;
    if (end > start + 1) {
      yield { text: mjml.slice(at, start), at };
      at = end;
    }
    start = end;
  }
  yield { text: mjml.slice(at), at };
}

/** What has no end: the compiler drops it and all that follows, without an error. */
export interface Unended {
  readonly at: number;
  /** As an error shows it, such as `<mj-text> has no end tag </mj-text>`. */
  readonly problem: string;
}

/** The first comment or element without an end. An end tag in other letters is none. */
export function findUnended(mjml: string): Unended | undefined {
  let at = mjml.indexOf('<');
  while (at !== -1) {
    const end = endOfMarkup(mjml, at);
    if (end === -1) return { at, problem: problemOf(mjml, at) };
    at = mjml.indexOf('<', end);
  }
  return undefined;
}

function problemOf(mjml: string, at: number): string {
  if (mjml.startsWith('<!--', at)) return '<!-- has no end -->';
  const name = mjml.slice(at + 1, endOfName(mjml, at + 1));
  return `<${name}> has no end tag </${name}>`;
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

/**
 * As the compiler does, passes comments and elements of the same name, and takes no end tag in other letters: at one,
 * it ends the element, but without its text. @param at the index after its start tag
 */
function endOfElement(mjml: string, name: string, at: number): number {
  const marks = new RegExp(`<!--|<(/?)${name}(?![\\w-])`, 'gi');
  marks.lastIndex = at;
  for (let depth = 1; ;) {
    const mark = marks.exec(mjml);
    if (!mark) return -1;
    let end = marks.lastIndex;
    if (mark[0] === '<!--') end = commentFrom(mjml, end)?.end ?? -1;
    else if (mark[1] !== '/') depth++;
    else if (--depth === 0) return mark[0].endsWith(name) ? endOfTag(mjml, end) : -1;
    if (end === -1) return -1;
    marks.lastIndex = end;
  }
}

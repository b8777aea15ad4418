import { BANG, hasNameAt, isLetter, isSpace, QUESTION_MARK } from './characters.js';
import { commentFrom } from './comment.js';
import { RenderingLimitError } from './rendering-limit-error.js';
import { endOfName, endOfTag } from './tag.js';

/** Far more than a newsletter has. Each costs the compiler time and comes out as some ten elements of HTML. */
export const MAX_MJML_ELEMENTS = 2_000;

/** MJML that cannot be compiled. The message is the compiler's first one, after the line it speaks of. */
export class InvalidMjmlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidMjmlError';
  }
}

/** Whether the root element is `<mjml>`: the first tag after a byte order mark, blanks, comments and declarations. */
export function isMjml(html: string): boolean {
  let at = html.charCodeAt(0) === 0xfeff ? 1 : 0;
  for (;;) {
    while (isSpace(html.charCodeAt(at))) at++;
    if (html[at] !== '<') return false;
    const code = html.charCodeAt(at + 1);
    if (isLetter(code)) return hasNameAt(html, at + 1, 'mjml') && endOfName(html, at + 1) === at + 5;
    if (code !== BANG && code !== QUESTION_MARK) return false;
    at = html.startsWith('--', at + 2) ? (commentFrom(html, at + 4)?.end ?? -1) : html.indexOf('>', at) + 1;
    if (at <= 0) return false;
  }
}

/**
 * What can be told before MJML is compiled. Files of the server must never end up in an email, and the compiler would
 * drop includes without a word.
 * @throws InvalidMjmlError at the first `<mj-include>` that is not in a comment, RenderingLimitError when there are
 *   too many elements
 */
export function checkMjml(source: string): void {
  let elements = 0;
  let start = source.indexOf('<');
  while (start !== -1) {
    let end = start + 1;
    if (source.startsWith('<!--', start)) {
      end = commentFrom(source, start + 4)?.end ?? -1;
    } else if (isLetter(source.charCodeAt(start + 1))) {
      const nameEnd = endOfName(source, start + 1);
      if (nameEnd - start === 11 && hasNameAt(source, start + 1, 'mj-include')) {
        throw new InvalidMjmlError(`line ${lineOf(source, start)}: mj-include is not allowed`);
      }
      if (hasNameAt(source, start + 1, 'mj-') && ++elements > MAX_MJML_ELEMENTS) {
        throw new RenderingLimitError(`is MJML of more than ${MAX_MJML_ELEMENTS} elements`);
      }
      end = endOfTag(source, nameEnd);
    }
    if (end === -1) return;
    start = source.indexOf('<', end);
  }
}

function lineOf(source: string, index: number): number {
  let line = 1;
  for (let at = source.indexOf('\n'); at !== -1 && at < index; at = source.indexOf('\n', at + 1)) line++;
  return line;
}

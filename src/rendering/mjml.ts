import { BANG, hasNameAt, isLetter, isSpace, QUESTION_MARK } from './html-scanner/characters.js';
import { commentFrom } from './html-scanner/comment.js';
import { RenderingLimitError } from './rendering-limit-error.js';
import { endOfName, endOfTag } from './html-scanner/tag.js';

/** Far more than a newsletter has. Each element costs compile time and becomes about ten HTML elements. */
export const MAX_MJML_ELEMENTS = 2_000;

/** MJML that cannot be compiled. The message contains the line and the compiler's first error. */
export class InvalidMjmlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidMjmlError';
  }
}

/** True when the root element is `<mjml>`: the first tag after a byte order mark, blanks, comments and declarations. */
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
 * Checks MJML before it is compiled. Includes are rejected, because files of the server must never end up in an email,
 * and the compiler would drop includes silently.
 * @throws InvalidMjmlError for an `<mj-include>` outside comments, RenderingLimitError for too many elements
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

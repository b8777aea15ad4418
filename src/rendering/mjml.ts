import { hasNameAt, isLetter } from './html-scanner/characters.js';
import { commentFrom } from './html-scanner/comment.js';
import { findUnended } from './mjml-gaps.js';
import { findDroppedLiquid } from './mjml-liquid.js';
import { findDroppedWords } from './mjml-words.js';
import { findMjmlRoot } from './mjml-root.js';
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

/** True when the root element is `<mjml>`. */
export function isMjml(html: string): boolean {
  return findMjmlRoot(html) !== undefined;
}

/**
 * The Liquid in front of the root, which the compiler would drop, and the MJML with the same line numbers.
 * @throws InvalidMjmlError for an output in front of the root, and for a root in a block
 */
export function splitMjml(source: string): { readonly tags: string; readonly mjml: string } {
  const { at, isBehindOutput, block } = findMjmlRoot(source)!;
  const before = source.slice(0, at);
  if (!before.includes('{%') && !isBehindOutput) return { tags: '', mjml: source };
  const problem = isBehindOutput
    ? 'only tags such as {% assign %} may stand in front of <mjml>'
    : block && `<mjml> must not stand in a block: put {% ${block} %} into its <mj-raw>`;
  if (problem) throw new InvalidMjmlError(`line ${lineOf(source, at)}: ${problem}`);
  return { tags: before, mjml: before.replace(/[^\n]+/g, '') + source.slice(at) };
}

/**
 * Checks MJML before it is compiled. Includes are rejected, because files of the server must never end up in an email,
 * and the compiler would drop includes silently, as it does with Liquid between elements.
 * @throws InvalidMjmlError for an `<mj-include>` outside comments and for Liquid between elements, RenderingLimitError
 *   for too many elements
 */
export function checkMjml(source: string): void {
  checkElements(source);
  const dropped = findDroppedLiquid(source);
  if (!dropped) return;
  const { at, shown } = dropped;
  const line = lineOf(source, at);
  throw new InvalidMjmlError(`line ${line}: ${shown} has no place between elements: write <mj-raw>${shown}</mj-raw>`);
}

/**
 * Checks MJML that compiles: an error of the compiler says more about words in an element that does not exist.
 * @throws InvalidMjmlError for elements without an end and words between elements, which the compiler drops
 */
export function requireNoDroppedWords(source: string): void {
  const { mjml } = splitMjml(source);
  const unended = findUnended(mjml);
  if (unended) throw new InvalidMjmlError(`line ${lineOf(mjml, unended.at)}: ${unended.problem}`);
  const dropped = findDroppedWords(mjml);
  if (!dropped) return;
  const { at, shown } = dropped;
  const line = lineOf(mjml, at);
  throw new InvalidMjmlError(`line ${line}: "${shown}" has no place between elements: write <mj-text>…</mj-text>`);
}

function checkElements(source: string): void {
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

import { gapsOf } from './mjml-gaps.js';

/** A tag or an output; the name of a tag is in its group. */
const LIQUID = /\{(?:\{|%-?\s{0,9}(\w{1,20})?)/g;
/** Shows nothing, and ends nothing that is open: the compiler may drop it. */
const INLINE_COMMENT = /\{%-?\s{0,9}#/y;
const COMMENT_END = /\{%-?\s{0,9}endcomment\s{0,9}-?%\}/g;

/** A tag or output of a template that the compiler would drop. */
export interface DroppedLiquid {
  readonly at: number;
  /** As an error shows it, such as `{% if %}`. */
  readonly shown: string;
}

/** The first Liquid between elements of MJML, except comments without elements, or undefined. */
export function findDroppedLiquid(mjml: string): DroppedLiquid | undefined {
  if (!mjml.includes('{%') && !mjml.includes('{{')) return undefined;
  for (const { text, at } of gapsOf(mjml)) {
    const found = liquidIn(text, at);
    if (found) return found;
  }
  return undefined;
}

/** Text with blanks in place of its comments of Liquid. */
export function withoutLiquidComments(text: string): string {
  const parts: string[] = [];
  let at = 0;
  LIQUID.lastIndex = 0;
  for (let found = LIQUID.exec(text); found; found = LIQUID.exec(text)) {
    const end = endOfLiquidComment(text, found.index, found[1]);
    if (end === -1) continue;
    parts.push(text.slice(at, found.index), ' '.repeat(end - found.index));
    at = end;
    LIQUID.lastIndex = end;
  }
  return [...parts, text.slice(at)].join('');
}

function liquidIn(text: string, from: number): DroppedLiquid | undefined {
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

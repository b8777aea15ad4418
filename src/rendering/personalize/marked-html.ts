import { LinkScanner } from '../html-scanner/link-scanner.js';
import { isOptedOut, LINK_ATTRIBUTES } from '../track-links.js';

/** Fixed text, or the index of a slot. */
export type Piece = string | number;

/** A link that may be tracked. */
export interface LinkSite {
  readonly pieces: readonly Piece[];
  readonly quote: '"' | "'" | '';
}

const OPEN = '\ue000';
const CLOSE = '\ue001';
const MARK = /\ue000(\d+)\ue001/;
const EACH_MARK = /\ue000\d+\ue001/g;
/** SVG has other rules, and placeholders of editors and our own pixels are replaced later. */
const UNSUITABLE = /<svg|<math|%7B%7B|\{\{|unsubscribe_|style="display:block;border:0"/i;
/** A value could continue the braces of a placeholder. */
const BRACES_AT_MARK = /(?:\{|%7?b?)\ue000|\ue001(?:7b|b)%7b/i;
/** Both ends of comments, and marks with whose values a comment could end, such as `--` in front of `>`. */
const IN_COMMENTS = /<!(?=--)|-->|\ue001[-!>]/g;

const LIST = /^(?:ol|li)\s/i;
/** A text part shows such an address without its parameters, which a value may begin. */
const ADDRESS = /\shref\s*=\s*(?:(["'])\s*)?(?:mailto|tel|sms):/gi;
const STYLE_WITH_MARK = /\sstyle\s*=\s*(?:"[^"]*|'[^']*)\ue000/i;

/** True for HTML that itself contains characters of marks. */
export function hasMarks(html: string): boolean {
  return /[\ue000\ue001]/.test(html);
}

/** The mark of a slot: it has no meaning in HTML. */
export function markOf(slot: number): string {
  return OPEN + slot + CLOSE;
}

/** False if a value, even an empty one, could give the HTML around it another meaning. */
export function isCuttable(marked: string): boolean {
  if (UNSUITABLE.test(marked.replace(EACH_MARK, '')) || BRACES_AT_MARK.test(marked)) return false;
  return !mayEndComment(marked) && !marked.split('<').some(decidesText);
}

/**
 * True for a tag whose value decides what the text part shows: the number of an item, a style that hides, an address.
 */
function decidesText(tag: string): boolean {
  const end = tag.indexOf('>');
  const attributes = end === -1 ? tag : tag.slice(0, end);
  if (!attributes.includes(OPEN)) return false;
  return LIST.test(attributes) || STYLE_WITH_MARK.test(attributes) || hasMarkInAddress(attributes);
}

/** Looks for the end of each value from its beginning, so that a tag of many addresses takes no longer than one. */
function hasMarkInAddress(attributes: string): boolean {
  for (const { index, 0: start, 1: quote } of attributes.matchAll(ADDRESS)) {
    const from = index + start.length;
    const end = quote === undefined ? attributes.slice(from).search(/\s/) : attributes.indexOf(quote, from) - from;
    const value = end < 0 ? attributes.slice(from) : attributes.slice(from, from + end);
    if (value.includes(OPEN)) return true;
  }
  return false;
}

function mayEndComment(marked: string): boolean {
  let isComment = false;
  for (const [found] of marked.matchAll(IN_COMMENTS)) {
    if (found === '<!' || found === '-->') isComment = found === '<!';
    else if (isComment) return true;
  }
  return false;
}

/** Finds links and the place of the pixel in HTML with marks instead of variables: no value changes them. */
export function cutMarked(marked: string): (Piece | LinkSite | null)[] | undefined {
  const sites: { start: number; end: number; site: LinkSite | null }[] = [];
  let isSuitable = true;
  const scanner = new LinkScanner(marked, LINK_ATTRIBUTES, (values, offset) => {
    const [href, ...others] = values;
    if (!href) return;
    const text = ({ start, end }: typeof href) => marked.slice(offset + start, offset + end);
    if (others.some((value) => value && MARK.test(text(value)))) isSuitable = false;
    if (isOptedOut(marked, values, offset)) return;
    const site = { pieces: piecesOf(text(href)), quote: href.quote };
    sites.push({ start: offset + href.start, end: offset + href.end, site });
  });
  scanner.scan();
  if (!isSuitable) return undefined;
  const at = scanner.lastBodyEnd === -1 ? scanner.contentEnd : scanner.lastBodyEnd;
  const index = sites.findLastIndex(({ end }) => end <= at) + 1;
  sites.splice(index, 0, { start: at, end: at, site: null });
  const html: (Piece | LinkSite | null)[] = [];
  let copied = 0;
  for (const { start, end, site } of sites) {
    html.push(...piecesOf(marked.slice(copied, start)), site);
    copied = end;
  }
  html.push(...piecesOf(marked.slice(copied)));
  return html;
}

export function piecesOf(marked: string): Piece[] {
  return marked
    .split(MARK)
    .map((part, index) => (index % 2 === 0 ? part : Number(part)))
    .filter((piece) => piece !== '');
}

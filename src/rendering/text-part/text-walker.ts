import { ElementType, type parseDocument } from 'htmlparser2';
import { namesDestination, shownDestination } from './link-destination.js';
import { listMarker, numberOf } from './list-markers.js';
import { TextBlocks } from './text-blocks.js';

type ChildNode = ReturnType<typeof parseDocument>['children'][number];
type Element = Extract<ChildNode, { readonly attribs: unknown }>;

/** RFC 5322, 2.1.1: lines should be no longer than this. */
const LINE_LENGTH = 78;
const NOT_DISPLAYED = /display\s*:\s*none/i;
/** Elements that browsers never show, with all in them. */
const NEVER_SHOWN = new Set(['title', 'template', 'datalist']);
const QUOTED = { first: '> ', others: '> ' };
export const ELLIPSIS = '…';

type Breaks = readonly [leading: number, trailing: number];

const LINES = [
  ...['address', 'article', 'aside', 'center', 'dd', 'details', 'div', 'dl', 'dt', 'fieldset', 'figcaption', 'figure'],
  ...['footer', 'form', 'header', 'legend', 'main', 'nav', 'section', 'summary'],
  // Cells of layout tables would otherwise be joined without a blank.
  ...['td', 'th'],
];

/** Line breaks before and after the blocks that differ in nothing else. */
const BLOCKS: ReadonlyMap<string, Breaks> = new Map<string, Breaks>([
  ...LINES.map((name) => [name, [1, 1]] as const),
  ...['p', 'table', 'h4', 'h5', 'h6'].map((name) => [name, [2, 2]] as const),
  ...['h1', 'h2', 'h3'].map((name) => [name, [3, 2]] as const),
]);

/** Writes the visible text of a document, with each link followed by its URL. */
export class TextWalker {
  private readonly blocks = new TextBlocks(LINE_LENGTH);

  /** Without one, an `<head>` may contain everything. */
  private hasBody = false;

  /** @param maxDepth elements that are nested deeper become an ellipsis */
  constructor(private readonly maxDepth: number) {}

  /** Returns at most `maxLength` + 1 characters. */
  textOf(document: readonly ChildNode[], maxLength: number): string {
    this.hasBody = this.fromBody(document).length > 0;
    this.walk(document, 0);
    return this.blocks.toString(maxLength);
  }

  private fromBody(nodes: readonly ChildNode[]): ChildNode[] {
    return [...bodyAndRest(nodes, this.maxDepth)];
  }

  private walk(nodes: readonly ChildNode[], depth: number): void {
    if (depth > this.maxDepth) return this.blocks.addText(ELLIPSIS);
    for (const node of nodes) {
      if (node.type === ElementType.Text) this.blocks.addText(node.data);
      else if (node.type === ElementType.Tag) this.element(node, depth + 1);
    }
  }

  /** @param depth of its children */
  private element(element: Element, depth: number): void {
    const { name, attribs, children } = element;
    if (NEVER_SHOWN.has(name) || isHidden(attribs)) return;
    if (name === 'head' && this.hasBody) return this.walk(this.fromBody(children), depth);
    const block = BLOCKS.get(name);
    if (block) {
      this.blocks.open({ leadingBreaks: block[0] });
      this.walk(children, depth);
      return this.blocks.close(block[1]);
    }
    switch (name) {
      case 'a':
        return this.link(element, depth);
      case 'img':
        return this.blocks.addText(attribs['alt'] ?? '');
      case 'br':
        return this.blocks.breakLine();
      case 'wbr':
        return this.blocks.allowBreak();
      case 'hr':
        return this.rule();
      case 'ul':
        return this.list(element, depth, () => ' * ');
      case 'ol':
        return this.orderedList(element, depth);
      case 'pre':
        this.blocks.open({ leadingBreaks: 2, isPreformatted: true });
        this.walk(children, depth);
        return this.blocks.close(2);
      case 'blockquote':
        this.blocks.open({ leadingBreaks: 2, reserved: 2 });
        this.walk(children, depth);
        return this.blocks.closeTrimmed(2, QUOTED);
      default:
        return this.walk(children, depth);
    }
  }

  private link({ attribs, children }: Element, depth: number): void {
    const { href = '' } = attribs;
    const shown = shownDestination(href);
    if (shown === '') return this.walk(children, depth);
    const words = this.blocks.collectWords(() => this.walk(children, depth));
    if (namesDestination(words, href, shown)) return;
    if (words === '') return this.blocks.addApart(shown);
    // RFC 3986, appendix C: URLs never contain the delimiters "<" and ">".
    this.blocks.addText(` <${shown}>`, false);
  }

  private rule(): void {
    this.blocks.open({ leadingBreaks: 2 });
    this.blocks.addText('-'.repeat(LINE_LENGTH));
    this.blocks.close(2);
  }

  private orderedList(list: Element, depth: number): void {
    const { start, type, reversed } = list.attribs;
    const step = reversed === undefined ? 1 : -1;
    let next = numberOf(start) ?? (step === 1 ? 1 : list.children.filter(isItem).length);
    this.list(list, depth, ({ attribs }) => {
      const number = numberOf(attribs['value']) ?? next;
      next = number + step;
      return ` ${listMarker(number, type)}. `;
    });
  }

  private list({ children, parent }: Element, depth: number, markerOf: (item: Element) => string): void {
    const isNested = parent?.type === ElementType.Tag && parent.name === 'li';
    const items = children
      .filter((node) => node.type !== ElementType.Text || /\S/.test(node.data))
      .map((node) => {
        const marker = isItem(node) ? markerOf(node) : '';
        return { node, marker: isNested ? marker.trimStart() : marker };
      });
    if (items.length === 0) return;
    const indent = items.reduce((longest, { marker }) => Math.max(longest, marker.length), 0);
    const breaks = isNested ? 1 : 2;
    this.blocks.openList(breaks);
    for (const { node, marker } of items) {
      this.blocks.open({ leadingBreaks: 1, reserved: indent });
      this.walk([node], depth);
      this.blocks.close(1, { first: marker.padEnd(indent), others: ' '.repeat(indent) });
    }
    this.blocks.closeList(breaks);
  }
}

/** The first body, and what follows it: browsers show that as a part of it. */
function* bodyAndRest(nodes: readonly ChildNode[], maxDepth: number, depth = 0): Generator<ChildNode, boolean> {
  let hasBegun = false;
  for (const node of depth > maxDepth ? [] : nodes) {
    hasBegun ||= node.type === ElementType.Tag && node.name === 'body';
    if (hasBegun) yield node;
    else if (node.type === ElementType.Tag) hasBegun = yield* bodyAndRest(node.children, maxDepth, depth + 1);
  }
  return hasBegun;
}

function isItem(node: ChildNode): node is Element {
  return node.type === ElementType.Tag && node.name === 'li';
}

/** The reader does not see preview text and other hidden parts. */
function isHidden({ hidden, style }: Readonly<Record<string, string>>): boolean {
  return hidden !== undefined || (style !== undefined && NOT_DISPLAYED.test(style));
}

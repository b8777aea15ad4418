const ROOTS = new Set(['svg', 'math']);
/** Elements of SVG and MathML whose content is HTML again (WHATWG HTML 13.2.6, integration points). */
const INTEGRATION_POINTS = new Set(['foreignobject', 'desc', 'title', 'mi', 'mo', 'mn', 'ms', 'mtext']);
/** Start tags that end SVG and MathML wherever they stand (13.2.6.5). */
const BREAKOUTS = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);
/** Deeper nesting is not followed: it keeps a hostile document from making every end tag a long search. */
const MAX_DEPTH = 64;

/**
 * Knows whether the scanner is inside SVG or MathML, where no element holds raw text and CDATA sections exist.
 * It follows roots and integration points only, which is exact for well-formed pictures and keeps no tree: a stray end
 * tag can mislead it until the next root's end or breakout.
 */
export class ForeignContent {
  private readonly open: { readonly name: string; readonly isHtml: boolean }[] = [];

  static startsWith(lowerCaseName: string): boolean {
    return ROOTS.has(lowerCaseName);
  }

  /** Whether tags have to be shown to `startTag` and `endTag`. */
  get isOpen(): boolean {
    return this.open.length > 0;
  }

  /** Whether the markup here is SVG or MathML, and not HTML inside it. */
  get isHere(): boolean {
    return this.open.length > 0 && !this.open[this.open.length - 1]!.isHtml;
  }

  startTag(lowerCaseName: string, selfClosing: boolean): void {
    if (this.isHere && BREAKOUTS.has(lowerCaseName)) this.breakOut();
    else if (selfClosing || this.open.length === MAX_DEPTH) return;
    else if (ROOTS.has(lowerCaseName)) this.open.push({ name: lowerCaseName, isHtml: false });
    else if (this.isHere && INTEGRATION_POINTS.has(lowerCaseName))
      this.open.push({ name: lowerCaseName, isHtml: true });
  }

  endTag(lowerCaseName: string): void {
    if (this.isHere && (lowerCaseName === 'p' || lowerCaseName === 'br')) return this.breakOut();
    const index = this.open.findLastIndex(({ name }) => name === lowerCaseName);
    if (index !== -1) this.open.length = index;
  }

  private breakOut(): void {
    while (this.isHere) this.open.pop();
  }
}

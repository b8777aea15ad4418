const ROOTS = new Set(['svg', 'math']);
/** Elements of SVG and MathML whose content is HTML again (WHATWG HTML 13.2.6, integration points). */
const INTEGRATION_POINTS = new Set(['foreignobject', 'desc', 'title', 'mi', 'mo', 'mn', 'ms', 'mtext']);
/** Start tags that end SVG and MathML at any depth (13.2.6.5). */
const BREAKOUTS = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);
/** Maximum tracked nesting. Bounds the search of each end tag in a hostile document. */
const MAX_DEPTH = 64;

/**
 * Tracks whether the scanner is inside SVG or MathML, where elements have no raw text and CDATA sections exist.
 * It tracks only roots and integration points, without a tree. This is exact for well-formed SVG and MathML; a stray
 * end tag can cause a wrong state until the end of the next root or a breakout.
 */
export class ForeignContent {
  private readonly open: { readonly name: string; readonly isHtml: boolean }[] = [];

  static startsWith(lowerCaseName: string): boolean {
    return ROOTS.has(lowerCaseName);
  }

  /** True while the scanner must report tags to `startTag` and `endTag`. */
  get isOpen(): boolean {
    return this.open.length > 0;
  }

  /** True when the current markup is SVG or MathML, and not HTML inside it. */
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

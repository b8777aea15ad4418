import type { ScanMode } from './scan-mode.js';
import { isUrlAttribute, type UrlPart } from './url-part.js';

/** From the one that is escaped the most. */
const URL_PARTS: readonly UrlPart[] = ['start', 'query', 'path'];

/** What decides the places that follow in a template: where its HTML has got to. */
export class ScanState {
  protected mode: ScanMode = 'text';
  /** The tag, attribute or comment that is being read, in lower case. */
  protected name = '';
  protected element = '';
  protected isEndTag = false;
  protected attribute = '';
  protected url: UrlPart = 'start';

  /** True if the same places follow. */
  equals(other: ScanState): boolean {
    if (this.mode === 'text' && other.mode === 'text') return true;
    const fields = ['mode', 'name', 'element', 'isEndTag', 'attribute', 'url'] as const;
    return fields.every((field) => this[field] === other[field]);
  }

  /**
   * Where the branches of a block meet, an attribute may be that of any of them. Continues with the one whose value has
   * to be escaped the most: one with a URL, and a URL that may begin here.
   */
  join(others: readonly ScanState[]): this {
    for (const other of others) {
      if (this.isInValue && other.isInValue) this.joinValue(other);
      if (this.isInName && other.isInName && isUrlAttribute(other.name)) this.name = other.name;
    }
    return this;
  }

  private joinValue({ attribute, url }: ScanState): void {
    if (!isUrlAttribute(attribute)) return;
    const isStricter = !isUrlAttribute(this.attribute) || URL_PARTS.indexOf(url) < URL_PARTS.indexOf(this.url);
    if (isStricter) this.url = url;
    this.attribute = attribute;
  }

  private get isInValue(): boolean {
    return this.mode.endsWith('value');
  }

  private get isInName(): boolean {
    return this.mode.endsWith('attribute name');
  }
}

import type { Attributes, AttributeValue } from './html-scanner/attributes.js';
import { LinkScanner } from './html-scanner/link-scanner.js';
import { ownUrlsOf } from './own-urls.js';
import { LINK_ATTRIBUTES, LinkChoice } from './track-links.js';

/** The older attribute of links in SVG. Links with it are not tracked, but browsers follow them. */
const SVG_LINK = 'xlink:href';

/**
 * Replaces the destination of every link by `#`. All other bytes stay unchanged.
 * @param html any text. Time and memory are linear in its length
 */
export function deadenLinks(html: string): string {
  const edits = new DestinationEdits(html);
  const scanner = new LinkScanner(html, ['href', SVG_LINK], (values, offset) => {
    edits.replace(values, offset, () => '#');
  });
  scanner.scan();
  return edits.html;
}

export interface MarkedHtml {
  /** The link at position 3 leads to `#link-3`, links that are not tracked to `#`. */
  readonly html: string;
  /** Destinations of the tracked links, by position. */
  readonly urls: readonly string[];
}

/**
 * Replaces the destination of every link by its position, as `trackLinks` counts them in the same HTML.
 * @param baseUrl the public URL of the service, without a trailing slash
 */
export function markLinks(html: string, baseUrl: string): MarkedHtml {
  const urls: string[] = [];
  const edits = new DestinationEdits(html);
  // The address of an unsubscribe page is one of our own.
  const choice = new LinkChoice(html, { isOurs: ownUrlsOf(baseUrl), isExempt: () => false });
  const scanner = new LinkScanner(html, [...LINK_ATTRIBUTES, SVG_LINK], (values, offset) => {
    const url = choice.destinationOf(values, offset);
    const [href] = values;
    edits.replace([href, values.at(-1)], offset, (value) => {
      return url === undefined || value !== href ? '#' : `#link-${urls.push(url) - 1}`;
    });
  });
  scanner.scan();
  return { html: edits.html, urls };
}

class DestinationEdits {
  private readonly parts: string[] = [];
  private copied = 0;

  constructor(private readonly original: string) {}

  get html(): string {
    return this.parts.join('') + this.original.slice(this.copied);
  }

  /** @param values of the attributes of one tag, in any order */
  replace(values: Attributes['values'], offset: number, destination: (value: AttributeValue) => string): void {
    const found = values.filter((value) => value !== undefined).sort((one, other) => one.start - other.start);
    for (const value of found) {
      this.parts.push(this.original.slice(this.copied, offset + value.start), destination(value));
      this.copied = offset + value.end;
    }
  }
}

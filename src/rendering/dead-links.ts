import { LinkScanner } from './html-scanner/link-scanner.js';
import { ownUrlsOf } from './own-urls.js';
import { LINK_ATTRIBUTES, LinkChoice } from './track-links.js';

/**
 * Replaces the destination of every link by `#`. All other bytes stay unchanged.
 * @param html any text. Time and memory are linear in its length
 */
export function deadenLinks(html: string): string {
  const parts: string[] = [];
  let copied = 0;
  const scanner = new LinkScanner(html, ['href'], ([href], offset) => {
    if (href === undefined) return;
    parts.push(html.slice(copied, offset + href.start), '#');
    copied = offset + href.end;
  });
  scanner.scan();
  return parts.join('') + html.slice(copied);
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
  const parts: string[] = [];
  const urls: string[] = [];
  let copied = 0;
  // The address of an unsubscribe page is one of our own.
  const choice = new LinkChoice(html, { isOurs: ownUrlsOf(baseUrl), isExempt: () => false });
  const scanner = new LinkScanner(html, LINK_ATTRIBUTES, (values, offset) => {
    const [href] = values;
    if (href === undefined) return;
    const [start, end] = [offset + href.start, offset + href.end];
    const url = choice.destinationOf(values, offset);
    parts.push(html.slice(copied, start), url === undefined ? '#' : `#link-${urls.push(url) - 1}`);
    copied = end;
  });
  scanner.scan();
  return { html: parts.join('') + html.slice(copied), urls };
}

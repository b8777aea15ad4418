import { MAX_LINKS } from '../links/link-token.js';
import { webDestination } from './destination.js';
import { LinkScanner } from './html-scanner/link-scanner.js';
import { isOptedOut, LINK_ATTRIBUTES } from './track-links.js';

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

/** Replaces the destination of every link by its position, as `trackLinks` counts them in the same HTML. */
export function markLinks(html: string): MarkedHtml {
  const parts: string[] = [];
  const urls: string[] = [];
  let copied = 0;
  const scanner = new LinkScanner(html, LINK_ATTRIBUTES, (values, offset) => {
    const [href] = values;
    if (href === undefined) return;
    const [start, end] = [offset + href.start, offset + href.end];
    const url = webDestination(html.slice(start, end));
    const isTracked = urls.length < MAX_LINKS && url !== undefined && !isOptedOut(html, values, offset);
    parts.push(html.slice(copied, start), isTracked ? `#link-${urls.push(url) - 1}` : '#');
    copied = end;
  });
  scanner.scan();
  return { html: parts.join('') + html.slice(copied), urls };
}

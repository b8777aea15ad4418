import { MAX_LINKS } from '../links/link-token.js';
import type { Attributes, AttributeValue } from './html-scanner/attributes.js';
import { webDestination } from './destination.js';
import { escapedFor } from './escape-value.js';
import { LinkScanner } from './html-scanner/link-scanner.js';

/** The properties of an email that tracking needs. Every function must be deterministic. */
export interface LinkTracker {
  /** Returns the tracking URL of the link at `position`, 0 for the first. */
  trackingUrl(url: string, position: number): string;
  /** True when the URL is a tracking URL of this service. */
  isOurs(url: string): boolean;
  /** True when this link is never tracked, such as the URL of a List-Unsubscribe header. */
  isExempt(url: string): boolean;
  readonly pixelUrl: string;
}

/** A rewritten link. Its index in the result is its position. */
interface RewrittenLink {
  readonly originalUrl: string;
  readonly trackingUrl: string;
}

export interface TrackedHtml {
  readonly html: string;
  readonly links: readonly RewrittenLink[];
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Rewrites the web links of an email and adds its pixel. All other bytes stay unchanged, including broken markup.
 * Links beyond MAX_LINKS are not rewritten. HTML that is already tracked is returned unchanged.
 * @param html any text. Time and memory are linear in its length
 */
export function trackLinks(html: string, tracker: LinkTracker): TrackedHtml {
  const links: RewrittenLink[] = [];
  const edits: Edit[] = [];
  const choice = new LinkChoice(html, tracker);
  const scanner = new LinkScanner(html, LINK_ATTRIBUTES, (values, offset) => {
    const originalUrl = choice.destinationOf(values, offset);
    if (originalUrl === undefined) return;
    const { start, end, quote } = values[0]!;
    const trackingUrl = tracker.trackingUrl(originalUrl, links.length);
    links.push({ originalUrl, trackingUrl });
    edits.push({ start: offset + start, end: offset + end, text: escapedFor(quote, trackingUrl) });
  });
  scanner.scan();
  addPixel(html, edits, scanner, tracker.pixelUrl);
  return { html: applied(html, edits), links };
}

/** Chooses the links of a document that are tracked. Call it for each link, in the order of the document. */
export class LinkChoice {
  private seen = 0;

  constructor(
    private readonly html: string,
    private readonly tracker: Pick<LinkTracker, 'isOurs' | 'isExempt'>,
  ) {}

  /** The destination of a link, or undefined if it is not tracked. */
  destinationOf(values: Attributes['values'], offset: number): string | undefined {
    const { html, tracker } = this;
    const [href] = values;
    if (this.seen === MAX_LINKS || href === undefined) return undefined;
    const url = webDestination(html.slice(offset + href.start, offset + href.end));
    if (url === undefined || isOptedOut(html, values, offset) || tracker.isExempt(url)) return undefined;
    // Tracking URLs count too. Otherwise a second pass would rewrite the links beyond MAX_LINKS.
    this.seen++;
    return tracker.isOurs(url) ? undefined : url;
  }
}

export const LINK_ATTRIBUTES = ['href', 'clicktracking', 'data-msys-clicktrack', 'ses:no-track', 'rel'] as const;

/** True when the tag opts out of tracking by an attribute of SendGrid, SparkPost or SES, or by `rel`. */
export function isOptedOut(html: string, values: Attributes['values'], offset: number): boolean {
  const [, clicktracking, msysClicktrack, sesNoTrack, rel] = values;
  if (sesNoTrack !== undefined) return true;
  const text = (value: AttributeValue) =>
    html
      .slice(offset + value.start, offset + value.end)
      .trim()
      .toLowerCase();
  return (
    (clicktracking !== undefined && text(clicktracking) === 'off') ||
    (msysClicktrack !== undefined && text(msysClicktrack) === '0') ||
    (rel !== undefined && text(rel).split(/\s+/).includes('notrack'))
  );
}

export function pixelOf(url: string): string {
  return `<img src="${escapedFor('"', url)}" width="1" height="1" alt="" style="display:block;border:0">`;
}

/** Adds the pixel before the last `</body>`, or else at the end of the visible content, unless it is already there. */
function addPixel(html: string, edits: Edit[], scanner: LinkScanner, pixelUrl: string): void {
  const at = scanner.lastBodyEnd === -1 ? scanner.contentEnd : scanner.lastBodyEnd;
  const text = pixelOf(pixelUrl);
  if (html.startsWith(text, at - text.length)) return;
  const index = edits.findLastIndex((edit) => edit.end <= at) + 1;
  edits.splice(index, 0, { start: at, end: at, text });
}

function applied(html: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let copied = 0;
  for (const { start, end, text } of edits) {
    parts.push(html.slice(copied, start), text);
    copied = end;
  }
  parts.push(html.slice(copied));
  return parts.join('');
}

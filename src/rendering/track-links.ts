import { MAX_LINKS } from '../links/link-token.js';
import { webDestination } from './destination.js';
import { escapedFor } from './escape-value.js';
import { LinkScanner } from './link-scanner.js';
import { findAttributes, type AttributeValue } from './tag.js';

/** What tracking needs to know of the email. Every function gives the same answer each time. */
export interface LinkTracker {
  /** The address that stands for the link at `position`, 0 for the first. */
  trackingUrl(url: string, position: number): string;
  /** Whether this address already is one of the service's own. */
  isOurs(url: string): boolean;
  /** Whether this link is never tracked, like the one of a List-Unsubscribe header. */
  isExempt(url: string): boolean;
  readonly pixelUrl: string;
}

/** A link that was rewritten; its index in the result is its position. */
export interface RewrittenLink {
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
 * Rewrites the web links of an email and adds its pixel. All other bytes stay as they are, broken markup included.
 * Of more than MAX_LINKS links the further ones stay untouched. HTML that was tracked before comes back unchanged.
 * @param html any text; time and memory are linear in its length
 */
export function trackLinks(html: string, tracker: LinkTracker): TrackedHtml {
  const links: RewrittenLink[] = [];
  const edits: Edit[] = [];
  let seen = 0;
  const scanner = new LinkScanner(html, (nameEnd, tagEnd) => {
    if (seen === MAX_LINKS) return;
    const href = trackableHref(html, nameEnd, tagEnd);
    if (href === undefined) return;
    const originalUrl = webDestination(html.slice(href.start, href.end));
    if (originalUrl === undefined || tracker.isExempt(originalUrl)) return;
    // Ours take a place too: else a second pass would go on where the first one stopped.
    seen++;
    if (tracker.isOurs(originalUrl)) return;
    const trackingUrl = tracker.trackingUrl(originalUrl, links.length);
    links.push({ originalUrl, trackingUrl });
    edits.push({ start: href.start, end: href.end, text: escapedFor(href.quote, trackingUrl) });
  });
  scanner.scan();
  if (!html.includes(tracker.pixelUrl)) addPixel(edits, scanner, tracker.pixelUrl);
  return { html: applied(html, edits), links };
}

const LINK_ATTRIBUTES = ['href', 'clicktracking', 'data-msys-clicktrack', 'ses:no-track', 'rel'] as const;

/** The href of a tag, unless the tag asks not to be tracked in the words of SendGrid, SparkPost, SES or `rel`. */
function trackableHref(html: string, nameEnd: number, tagEnd: number): AttributeValue | undefined {
  const [href, clicktracking, msysClicktrack, sesNoTrack, rel] = findAttributes(html, nameEnd, tagEnd, LINK_ATTRIBUTES);
  if (href === undefined || sesNoTrack !== undefined) return undefined;
  if (clicktracking && valueOf(html, clicktracking) === 'off') return undefined;
  if (msysClicktrack && valueOf(html, msysClicktrack) === '0') return undefined;
  if (rel && valueOf(html, rel).split(/\s+/).includes('notrack')) return undefined;
  return href;
}

function valueOf(html: string, { start, end }: AttributeValue): string {
  return html.slice(start, end).trim().toLowerCase();
}

/** Before the last `</body>`, else at the end of what a reader sees. */
function addPixel(edits: Edit[], scanner: LinkScanner, pixelUrl: string): void {
  const at = scanner.lastBodyEnd === -1 ? scanner.contentEnd : scanner.lastBodyEnd;
  const text = `<img src="${escapedFor('"', pixelUrl)}" width="1" height="1" alt="" style="display:block;border:0">`;
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

import { MAX_LINKS } from '../links/link-token.js';
import type { Attributes, AttributeValue } from './attributes.js';
import { webDestination } from './destination.js';
import { escapedFor } from './escape-value.js';
import { LinkScanner } from './link-scanner.js';

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
 * Rewrites the web links of an email and adds its pixel. All other bytes stay as they are, broken markup included.
 * Of more than MAX_LINKS links the further ones stay untouched. HTML that was tracked before comes back unchanged.
 * @param html any text; time and memory are linear in its length
 */
export function trackLinks(html: string, tracker: LinkTracker): TrackedHtml {
  const links: RewrittenLink[] = [];
  const edits: Edit[] = [];
  let seen = 0;
  const scanner = new LinkScanner(html, LINK_ATTRIBUTES, (values, offset) => {
    if (seen === MAX_LINKS || values[0] === undefined) return;
    const { quote } = values[0];
    const start = offset + values[0].start;
    const end = offset + values[0].end;
    const originalUrl = webDestination(html.slice(start, end));
    if (originalUrl === undefined || isOptedOut(html, values, offset) || tracker.isExempt(originalUrl)) return;
    // Ours take a place too: else a second pass would go on where the first one stopped.
    seen++;
    if (tracker.isOurs(originalUrl)) return;
    const trackingUrl = tracker.trackingUrl(originalUrl, links.length);
    links.push({ originalUrl, trackingUrl });
    edits.push({ start, end, text: escapedFor(quote, trackingUrl) });
  });
  scanner.scan();
  addPixel(html, edits, scanner, tracker.pixelUrl);
  return { html: applied(html, edits), links };
}

const LINK_ATTRIBUTES = ['href', 'clicktracking', 'data-msys-clicktrack', 'ses:no-track', 'rel'] as const;

/** Whether the tag asks not to be tracked in the words of SendGrid, SparkPost, SES or `rel`. */
function isOptedOut(html: string, values: Attributes['values'], offset: number): boolean {
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

/** Before the last `</body>`, else at the end of what a reader sees; unless it stands there already. */
function addPixel(html: string, edits: Edit[], scanner: LinkScanner, pixelUrl: string): void {
  const at = scanner.lastBodyEnd === -1 ? scanner.contentEnd : scanner.lastBodyEnd;
  const text = `<img src="${escapedFor('"', pixelUrl)}" width="1" height="1" alt="" style="display:block;border:0">`;
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

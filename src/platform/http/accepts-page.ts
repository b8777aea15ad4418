import type { IncomingHttpHeaders } from 'node:http';

/** Browsers name this type when they open a page, but not for what a page loads. Programs accept anything. */
const ACCEPTS_PAGES = /(?:^|,)\s*text\/html\s*(?:,|$|;\s*(?!q=0(?:\.0*)?\s*(?:,|$)))/i;

/** True for a browser that opens an address as a page, so that a person sees the response. */
export function acceptsPage({ accept = '' }: IncomingHttpHeaders): boolean {
  return ACCEPTS_PAGES.test(accept);
}

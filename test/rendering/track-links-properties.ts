import fc from 'fast-check';
import { trackLinks, type LinkTracker } from '../../src/rendering/track-links.js';
import { anyHtml } from './html-arbitrary.js';
import { parsed } from './parsed-links.js';

/** A tracker whose addresses need every kind of escape. */
const awkwardTracker: LinkTracker = {
  trackingUrl: (url, position) =>
    `https://t.test/api/t/c/${position}-${Buffer.from(url).toString('base64url')}?"'&amp;<=>\``,
  isOurs: (url) => url.toLowerCase().startsWith('https://t.test/api/t/'),
  isExempt: (url) => url === 'https://a.test/#x',
  pixelUrl: 'https://t.test/api/t/o/pixel?a=1&amp;b="',
};
const PIXEL = /<img src="https:\/\/t\.test\/api\/t\/o\/pixel[^>]*>/;

/**
 * Checks the guarantees for any HTML against parse5: the links and destinations are those of the parsed document,
 * only their values and the one pixel differ, and neither a second rendering nor a second tracking makes a difference.
 */
export function checkAnyHtml(parameters: fc.Parameters<[string]>): void {
  fc.assert(fc.property(anyHtml, checkHtml), parameters);
}

export function checkHtml(html: string): void {
  const before = parsed(html);
  const expected = before.links.filter(({ url }) => !awkwardTracker.isOurs(url) && !awkwardTracker.isExempt(url));
  const tracked = trackLinks(html, awkwardTracker);
  same(listed(tracked.links.map((link) => link.originalUrl)), listed(expected.map(({ url }) => url)));

  // Everything except the values and the pixel is unchanged, byte for byte.
  const pixel = PIXEL.exec(tracked.html)!;
  const withoutPixel = tracked.html.slice(0, pixel.index) + tracked.html.slice(pixel.index + pixel[0].length);
  let copied = 0;
  let at = 0;
  for (const [index, { start, end, quote }] of expected.entries()) {
    const between = html.slice(copied, start);
    same(withoutPixel.slice(at, at + between.length), between);
    at += between.length + lengthOfValue(withoutPixel, at + between.length, quote);
    copied = end;
    same(tracked.links[index]!.trackingUrl.includes(`/${index}-`), true);
  }
  same(withoutPixel.slice(at), html.slice(copied));

  // A browser reads the tracked addresses back, and the pixel is visible.
  const after = parsed(tracked.html);
  const rewritten = tracked.links.map((link) => link.trackingUrl).values();
  const written = before.links.map((link) => (expected.includes(link) ? rewritten.next().value! : link.url));
  same(listed(after.links.map(({ url }) => url)), listed(written));
  if (!endsInCdata(html)) same(after.images.filter((src) => src === awkwardTracker.pixelUrl).length, 1);
  if (before.lastBodyEnd !== -1) same(/^<\/body/i.test(tracked.html.slice(pixel.index + pixel[0].length)), true);

  same(JSON.stringify(trackLinks(html, awkwardTracker)), JSON.stringify(tracked));
  const again = trackLinks(tracked.html, awkwardTracker);
  same(again.html, tracked.html);
  same(again.links.length, 0);
}

/** `expect` alone would take most of the time of a long run. */
function same<Value extends string | number | boolean>(actual: Value, expected: Value): void {
  if (actual !== expected) expect(actual).toBe(expected);
}

function listed(urls: readonly string[]): string {
  return urls.map((url) => JSON.stringify(url)).join('\n');
}

function lengthOfValue(html: string, at: number, quote: string): number {
  const rest = html.slice(at);
  return quote === '' ? rest.search(/[\s>]/) : rest.indexOf(quote);
}

function endsInCdata(html: string): boolean {
  const opening = html.lastIndexOf('<![CDATA[');
  return opening !== -1 && !html.includes(']]>', opening);
}

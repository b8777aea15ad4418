import fc from 'fast-check';
import { deadenLinks, markLinks } from '../../src/rendering/dead-links.js';
import { ownUrlsOf } from '../../src/rendering/own-urls.js';
import { trackLinks } from '../../src/rendering/track-links.js';
import { anyHtml } from './html-arbitrary.js';
import { plainTracker } from './plain-tracker.js';

it.each([
  ['<a href="https://acme.example/">x</a>', '<a href="#">x</a>'],
  ["<A HREF='mailto:ada@acme.example'>x</A>", "<A HREF='#'>x</A>"],
  ['<a href=https://acme.example/?a=1&b=2>x</a>', '<a href=#>x</a>'],
  ['<area href="/relative">', '<area href="#">'],
  [
    '<!--[if mso]><v:rect href="https://acme.example/"></v:rect><![endif]-->',
    '<!--[if mso]><v:rect href="#"></v:rect><![endif]-->',
  ],
  [
    '<svg><a xlink:href="https://acme.example/">x</a><a href="/b" xlink:href="/c">y</a></svg>',
    '<svg><a xlink:href="#">x</a><a href="#" xlink:href="#">y</a></svg>',
  ],
  ['<noscript><a href="https://acme.example/">x</a></noscript>', '<noscript><a href="#">x</a></noscript>'],
  ['<p>no link</p>', '<p>no link</p>'],
  ['<!-- <a href="https://acme.example/"> -->', '<!-- <a href="https://acme.example/"> -->'],
])('%s becomes %s', (html, expected) => {
  expect(deadenLinks(html)).toBe(expected);
});

it('removes the destinations of any number of links, and changes no other byte', () => {
  const part = fc.oneof(
    fc.constantFrom('<a href="https://acme.example/">', '</a>', '<p>', '<br>'),
    fc.stringMatching(/^[a-z é]*$/),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const html = parts.join('');
      expect(deadenLinks(html)).toBe(html.replaceAll('https://acme.example/', '#'));
    }),
  );
});

const LINK = '<a href="https://x.test/">x</a>';
const OURS = '<a href="https://t.test/api/t/c/old">ours</a>';

it('marks links with their positions, which our own links do not have', () => {
  const { html, urls } = markLinks(`${OURS}${LINK}<a href="mailto:a@x.test">m</a>${LINK}`, 'https://t.test');
  expect(html.match(/#[\w-]*/g)).toEqual(['#', '#link-0', '#', '#link-1']);
  expect(urls).toEqual(['https://x.test/', 'https://x.test/']);
});

it('leaves no link of a picture with a destination', () => {
  const marked = markLinks(`<svg><a xlink:href="https://x.test/">x</a></svg>${LINK}`, 'https://t.test');
  expect(marked).toEqual({
    html: '<svg><a xlink:href="#">x</a></svg><a href="#link-0">x</a>',
    urls: ['https://x.test/'],
  });
});

it.each([OURS.repeat(999) + LINK.repeat(2), LINK.repeat(1001)])('counts to the same limit as tracking', (html) => {
  expect(markLinks(html, 'https://t.test').urls).toEqual(trackedUrls(html));
});

it('marks the links that are tracked in any HTML', () => {
  fc.assert(
    fc.property(anyHtml, (html) => {
      expect(markLinks(html, 'https://t.test').urls).toEqual(trackedUrls(html));
    }),
    { seed: 20_261_126, numRuns: 500 },
  );
});

function trackedUrls(html: string): string[] {
  return trackLinks(html, { ...plainTracker, isOurs: ownUrlsOf('https://t.test') }).links.map(
    ({ originalUrl }) => originalUrl,
  );
}

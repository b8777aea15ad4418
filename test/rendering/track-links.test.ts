import { trackLinks } from '../../src/rendering/track-links.js';
import { PIXEL, plainTracker } from './plain-tracker.js';

function destinations(html: string): string[] {
  return trackLinks(html, plainTracker).links.map((link) => link.originalUrl);
}

/** The tracked document, its tracking addresses shortened to their positions. */
function tracked(html: string): string {
  return trackLinks(html, plainTracker)
    .html.replace(/https:\/\/t\.test\/api\/t\/c\/(\d+)-[\w-]+/g, '[$1]')
    .replace(PIXEL, '{pixel}');
}

describe('what is rewritten', () => {
  it.each([
    ['<a href="https://x.test">', '<a href="[0]">{pixel}'],
    ["<A HREF = 'http://x.test/'>", "<A HREF = '[0]'>{pixel}"],
    ['<a href=http://x.test/>', '<a href=[0]>{pixel}'],
    ['<area\nhref="https://x.test"/>', '<area\nhref="[0]"/>{pixel}'],
    [
      '<a title=">" href="https://x.test" href="https://y.test">',
      '<a title=">" href="[0]" href="https://y.test">{pixel}',
    ],
    ['<a href="https://x.test"href="https://y.test">', '<a href="[0]"href="https://y.test">{pixel}'],
    ['<a/href="https://x.test"/>', '<a/href="[0]"/>{pixel}'],
    [
      '<a href="https://x.test">https://x.test</a> https://x.test',
      '<a href="[0]">https://x.test</a> https://x.test{pixel}',
    ],
    ['<a href="https://x.test">1</a><a href="https://x.test">2</a>', '<a href="[0]">1</a><a href="[1]">2</a>{pixel}'],
    ['<svg><a href="https://x.test"></a></svg>', '<svg><a href="[0]"></a></svg>{pixel}'],
    ['<noscript><a href="https://x.test"></a></noscript>', '<noscript><a href="[0]"></a></noscript>{pixel}'],
    [
      '<!--[if mso]><v:roundrect href="https://x.test"><a href=\'https://y.test\'><![endif]-->',
      '<!--[if mso]><v:roundrect href="[0]"><a href=\'[1]\'><![endif]-->{pixel}',
    ],
    [
      '<!--[if !mso]><!--><a href="https://x.test"></a><v:rect href="https://y.test"><!--<![endif]-->',
      '<!--[if !mso]><!--><a href="[0]"></a><v:rect href="[1]"><!--<![endif]-->{pixel}',
    ],
    [
      '<![if mso]><v:rect href="https://x.test"><![endif]><v:rect href="https://y.test">',
      '<![if mso]><v:rect href="[0]"><![endif]><v:rect href="https://y.test">{pixel}',
    ],
    ['<p =">" <a href=https://x.test>">', '<p =">" <a href=[0]>">{pixel}'],
    ['<p a="b"=">" <a href=https://x.test>">', '<p a="b"=">" <a href=[0]>">{pixel}'],
    ['<a =" href=https://x.test>', '<a =" href=[0]>{pixel}'],
    ['<p="> <a href=https://x.test>">', '<p="> <a href=[0]>">{pixel}'],
    ['<script><!--><script></script><a href=https://x.test>', '<script><!--><script></script><a href=[0]>{pixel}'],
    ['<a href="https://x.test/{{name}}?e=*|EMAIL|*">', '<a href="[0]">{pixel}'],
  ])('%s', (html, expected) => expect(tracked(html)).toBe(expected));
});

describe('what is left', () => {
  it.each([
    'mailto:a@b.test',
    'tel:+49',
    'sms:1',
    'cid:logo',
    'data:text/html,x',
    'javascript:void(0)',
    'ftp://x.test',
    '#top',
    '',
    ' ',
    '/page',
    'page.html',
    '//x.test',
    '?q',
    '{{url}}',
    '*|UNSUB|*',
    '[[link]]',
    '%unsubscribe%',
    'https://{{host}}/x',
    'https://',
    'https:///x.test',
    'https:x.test',
    'https://exa mple/',
    'https://a.127/',
    'https://1.2.3.400/',
    'https://xn--iñvalid.test/',
    'https://x.test:65536/',
    'httpss://x.test',
    'https://t.test/api/t/c/already',
  ])('<a href="%s">', (href) => expect(tracked(`<a href="${href}">`)).toBe(`<a href="${href}">{pixel}`));

  it.each([
    '<a>',
    '<a href>',
    '<a href=>',
    '<link href="https://x.test">',
    '<base href="https://x.test">',
    '<abbr href="https://x.test">',
    '<v:rect href="https://x.test">',
    '<a data-href="https://x.test" xlink:href="https://x.test">',
    '<a href="https://x.test" clicktracking="off">',
    "<a clicktracking=OFF href='https://x.test'>",
    '<a href="https://x.test" data-msys-clicktrack="0">',
    '<a ses:no-track href="https://x.test">',
    '<a href="https://x.test" rel="noopener NoTrack">',
    '<!-- <a href="https://x.test"> -->',
    '<![CDATA[<a href="https://x.test">',
    '<title><a href="https://x.test"></title>',
    '<script>"<a href=https://x.test>"</script>',
    '<style><a href="https://x.test"></style>',
    '<textarea><a href="https://x.test"></textarea>',
    '<p title=\'<a href="https://x.test">\'>',
    '< a href="https://x.test">',
    '</a href="https://x.test">',
  ])('%s', (html) => expect(tracked(html)).toBe(`${html}{pixel}`));

  it.each(['clicktracking="on"', 'data-msys-clicktrack="1"', 'rel="notracking"', 'ses:track'])(
    'but not for %s',
    (attribute) => {
      expect(tracked(`<a href="https://x.test" ${attribute}>`)).toBe(`<a href="[0]" ${attribute}>{pixel}`);
    },
  );
});

describe('destinations', () => {
  it.each([
    ['https://x.test/?a=1&amp;b=2', 'https://x.test/?a=1&b=2'],
    ['https://x.test/?a=1&b=2&copy=3&not;x', 'https://x.test/?a=1&b=2&copy=3¬x'],
    ['https://x.test/?q=&quot;a&#39;&#x26;', 'https://x.test/?q="a\'&'],
    ['&#104;ttps&colon;//x.test', 'https://x.test'],
    [' \n https://x.test/a\r\n\tb ', 'https://x.test/ab'],
    ['HTTPS://X.test/A%2f%zz/../b//', 'HTTPS://X.test/A%2f%zz/../b//'],
    ['https://müller.de/ü?ü#ü', 'https://müller.de/ü?ü#ü'],
    ['https://x.test/a b', 'https://x.test/a b'],
    ['https://x.test/\0', 'https://x.test/\ufffd'],
    ['https://user:pass@x.test:8443/', 'https://user:pass@x.test:8443/'],
    ['http://[::1]/', 'http://[::1]/'],
  ])('%j is %j', (href, url) => expect(destinations(`<a href='${href.replaceAll("'", '&apos;')}'>`)).toEqual([url]));
});

it('recognizes hosts with umlauts however often they occur', () => {
  for (let time = 0; time < 20_000; time++) {
    if (destinations('<a href="https://mü">').length === 0) throw new Error(`Lost after ${time}`);
  }
});

describe('the pixel', () => {
  it.each([
    ['<body>x</body></html>', '<body>x{pixel}</body></html>'],
    ['x</BODY >y</body\n>z', 'x</BODY >y{pixel}</body\n>z'],
    ['x</body><!-- </body> -->', 'x{pixel}</body><!-- </body> -->'],
    ['x</body><script></body></script>', 'x{pixel}</body><script></body></script>'],
    ['x</bodyx>', 'x</bodyx>{pixel}'],
    ['x', 'x{pixel}'],
    ['', '{pixel}'],
    ['x</body', 'x{pixel}</body'],
    ['x<a href="https://x.test', 'x{pixel}<a href="https://x.test'],
    ['x<!-- y', 'x{pixel}<!-- y'],
    ['x<style>y', 'x{pixel}<style>y'],
    ['x<style>y</style z', 'x{pixel}<style>y</style z'],
    ['x</body><a href="https://x.test">', 'x{pixel}</body><a href="[0]">'],
  ])('%j', (html, expected) => expect(tracked(html)).toBe(expected));
});

describe('limits', () => {
  it('tracks 1,000 links and does not change the others', () => {
    const { html, links } = trackLinks('<a href="https://x.test/">x</a>'.repeat(1001), plainTracker);
    expect(links).toHaveLength(1000);
    expect(html.endsWith(`<a href="https://x.test/">x</a>${PIXEL}`)).toBe(true);
    expect(trackLinks(html, plainTracker)).toEqual({ html, links: [] });
  });

  it('does not track a URL of more than 8,192 bytes', () => {
    const longest = `https://x.test/${'ü'.repeat((8192 - 16) / 2)}`;
    expect(destinations(`<a href="${longest}x">`)).toEqual([`${longest}x`]);
    expect(destinations(`<a href="${longest}xy">`)).toEqual([]);
    expect(destinations(`<a href="https://x.test/${'&amp;'.repeat(1_000_000)}">`)).toEqual([]);
  });
});

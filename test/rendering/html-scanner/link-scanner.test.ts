import { LinkScanner } from '../../../src/rendering/html-scanner/link-scanner.js';

/** The values of `href`, and where a pixel and a text may be inserted. */
function scanned(html: string): { hrefs: (string | undefined)[]; bodyEnd: number; contentEnd: number } {
  const hrefs: (string | undefined)[] = [];
  const scanner = new LinkScanner(html, ['href'], ([href], offset) =>
    hrefs.push(href && html.slice(offset + href.start, offset + href.end)),
  );
  scanner.scan();
  return { hrefs, bodyEnd: scanner.lastBodyEnd, contentEnd: scanner.contentEnd };
}

it.each([
  ['a link', '<a href="https://a.example">a</a>', ['https://a.example']],
  ['an area, in upper case and without quotes', '<AREA HREF=https://a.example>', ['https://a.example']],
  ['links behind each other', '<a href="/a">a</a><p><a href=\'/b\'>b</a>', ['/a', '/b']],
  ['a link without an address', '<a name="top">a</a>', [undefined]],
  ['no other element', '<link href="/a"><base href="/b"><abbr href="/c">', []],
  ['nothing in raw text', '<style><a href="/a"></style><script>"<a href=/b>"</script><a href="/c">', ['/c']],
  ['nothing in a comment', '<!-- <a href="/a"> --><a href="/b">', ['/b']],
  ['what Outlook reads in a conditional comment', '<!--[if mso]><v:roundrect href="/a"><![endif]-->', ['/a']],
  ['no VML outside of one', '<v:roundrect href="/a"></v:roundrect>', []],
  ['nothing in CDATA of an SVG', '<svg><![CDATA[<a href="/a">]]></svg><a href="/b">', ['/b']],
])('finds %s', (_what, html, hrefs) => {
  expect(scanned(html).hrefs).toEqual(hrefs);
});

it('finds the last end of the body', () => {
  const html = '<body>a</body>b</BODY >c</bodyguard>';
  expect(scanned(html).bodyEnd).toBe(html.indexOf('</BODY'));
  expect(scanned('<!-- </body> -->').bodyEnd).toBe(-1);
});

it.each(['<a href="/x', '<!-- never ends', '<style>a', '<a', '<p title="a'])(
  'ends the content before what is truncated: %s',
  (rest) => {
    const html = `<p>text</p>${rest}`;
    expect(scanned(html)).toEqual({ hrefs: [], bodyEnd: -1, contentEnd: html.length - rest.length });
  },
);

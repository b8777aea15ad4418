import { textPartOf } from '../../../src/rendering/text-part/text-part.js';

describe('the text part', () => {
  it('shows what a reader sees, with the original links', () => {
    const text =
      textPartOf(`<!doctype html><html><head><title>Not this</title><style>p { color: red }</style></head><body>
      <div style="display:none">Preview</div>
      <h1>Spring  sale</h1>
      <table><tr><td>Until</td><td>Friday</td></tr></table>
      <p>Dear Zo&euml;, <a href=" https://x.test/?a=1&amp;b=2 ">see it</a> or <a href="https://x.test">https://x.test</a>.</p>
      <!--[if mso]><p>Not this</p><![endif]-->
      <a href="https://x.test/img"><img src="https://x.test/a.png" alt="Our shop"></a><img src="https://x.test/b.png">
      <ul><li>One<li>Two</ul>
      <a href="mailto:shop@x.test">Write</a> <a href="#top">Up</a>
      </body></html>`);
    expect(text).toBe(
      [
        'Spring sale',
        '',
        'Until',
        'Friday',
        '',
        'Dear Zoë, see it <https://x.test/?a=1&b=2> or https://x.test.',
        '',
        'Our shop <https://x.test/img>',
        ' * One',
        ' * Two',
        '',
        'Write <shop@x.test> Up',
      ].join('\n'),
    );
  });

  it.each([
    ['<p>a<![CDATA[b <a href="https://x.test">c</a>]]>d</p><p>e</p>', 'ac]]>d\n\ne'],
    ['<p>a</p><![CDATA[ b > c<p>d</p>', 'a\n\nc\n\nd'],
    ['<!DOCTYPE html><?xml version="1.0"?>a<![if !mso]>b<![endif]><? c ?>d<!>e', 'abde'],
    ['a<svg><![CDATA[ > ]]></svg>b', 'a > b'],
    ['a<! b', 'a'],
  ])('keeps what is shown behind a declaration: %s', (html, text) => expect(textPartOf(html)).toBe(text));

  it('limits lines to 78 characters and keeps addresses whole', () => {
    const address = `https://x.test/${'x'.repeat(100)}`;
    const lines = textPartOf(`<p>${'word '.repeat(100)}<a href="${address}">link</a></p>`).split('\n');
    expect(lines.filter((line) => line.length > 78)).toEqual([`<${address}>`]);
  });

  it.each([
    ['a<a href="https://x.test"><img></a><a href="https://y.test"><img></a>b', 'a https://x.test https://y.test b'],
    ['<a href="tel:+49"></a><a href="mailto:a@x.test"></a>.', '+49 a@x.test .'],
    ['<ul><li><a href="https://x.test"> </a></ul>', '* https://x.test'],
    ['<a href="https://x.test"><i hidden>a</i></a>\nb', 'https://x.test b'],
  ])('sets an address that stands for itself off from what is beside it: %s', (html, text) => {
    expect(textPartOf(html)).toBe(text);
  });

  it.each([
    ['<html><body><p>a</p></body></html>\n<p>b</p>c', 'a\n\nb\n\nc'],
    ['<html><head><title>no</title><body>a</html>b<!-- no --><body>c</body>', 'abc'],
    ['<html><head>no</head>a<body>b</body>', 'ab'],
    ['<head><title>no</title><body>a<p>b', 'a\n\nb'],
  ])('shows what stands in front of the body and behind it, as browsers do: %s', (html, text) => {
    expect(textPartOf(html)).toBe(text);
  });

  it.each([
    '<center>a</center><center>b</center>c',
    '<dl><dt>a<dd>b</dl>c',
    '<figure>a<figcaption>b</figcaption></figure>c',
    'a<address>b</address>c',
    '<details><summary>a</summary>b</details>c',
    '<fieldset><legend>a</legend>b</fieldset>c',
  ])('breaks lines where browsers do: %s', (html) => {
    expect(textPartOf(html)).toBe('a\nb\nc');
  });

  it('keeps an address with blanks on one line, which programs read as a whole', () => {
    const address = `https://x.test/${'word '.repeat(30)}end`;
    const shown = address.replaceAll(' ', '%20');
    expect(textPartOf(`<a href="${address}">${address}</a>`).split('\n').at(-1)).toBe(`<${shown}>`);
  });

  it.each([
    '<template><p>Not this</p><a href="https://x.test">nor this</a></template>',
    '<TEMPLATE><template>Not this</template>nor this</TEMPLATE>',
    '<datalist id="d"><option>Not this</option></datalist>',
  ])('does not show what browsers never show: %s', (html) => {
    expect(textPartOf(`<p>Hello</p>${html}<p>reader</p>`)).toBe('Hello\n\nreader');
  });

  it.each([
    ['7', 'vii.', 'viii.'],
    ['7abc', 'vii.', 'viii.'],
    ['1.5', 'i.', 'ii.'],
    ['0.123456789', '0.', 'i.'],
    ['-1', '-1.', '0.'],
    ['x', 'i.', 'ii.'],
    ['9'.repeat(400), 'i.', 'ii.'],
    ['9'.repeat(12), 'i.', 'ii.'],
    ['2147483647', '2147483647.', '2147483648.'],
    ['2147483648', 'i.', 'ii.'],
    ['-2147483648', '-2147483648.', '-2147483647.'],
  ])('numbers a list that starts at %j in whole numbers, as browsers do', (start, first, second) => {
    const lines = textPartOf(`<ol type=i start="${start}"><li>a<li>b</ol>`).split('\n');
    expect(lines.map((line) => line.trim().split(/ +/)[0])).toEqual([first, second]);
  });

  it.each([
    '<html><head><title>How to use <script> well</title></head><body><p>Hello reader</p>',
    '<title>Our <style> guide</title><style>p{color:red}</style></head><body><p>Hello reader</p></body></html>',
    '<title>a <!-- b</title><body><p>Hello reader</p><!-- c -->',
    '<TITLE>a</title >Hello <iframe src="x"><p>fallback</p></iframe><noframes><p>fallback</noframes>reader',
    `<head><title>a</title></head><body style="${'x'.repeat(17_000)}"><p>Hello reader`,
    '<head><title>a</title></head><p>Hello reader',
    '<svg><title/><style>p{}</style><script/></svg><p>Hello reader',
    '<p title="<script>">Hello</p> <script>"</p>"</script>reader',
  ])('shows nothing of titles, scripts and styles, whatever they contain: %s', (html) => {
    expect(textPartOf(html).replace(/\s+/g, ' ')).toBe('Hello reader');
  });

  it.each([
    ['<body><textarea><script></textarea><p>Hello reader', '<script>\n\nHello reader'],
    ['<xmp><!-- a</xmp><p>Hello reader', '<!-- a\n\nHello reader'],
    ['<p>Hello <plaintext><b>reader</b><!-- a', 'Hello <b>reader</b><!-- a'],
  ])('shows markup that a browser shows: %s', (html, expected) => {
    expect(textPartOf(html)).toBe(expected);
  });

  it.each([
    ['Read <a href="https://x.test/a">the news</a> now', 'Read the news <https://x.test/a> now'],
    ['<a href="https://x.test/a">https://x.test/a</a> now', 'https://x.test/a now'],
    ['<a href="https://x.test/a"><img src="x"></a> now', 'https://x.test/a now'],
  ])('shows a link in preformatted text as elsewhere: %s', (html, expected) => {
    expect(textPartOf(`<body><pre>${html}</pre>`)).toBe(expected);
  });

  it.each([
    ['https://x.test/a\n   b', 'https://x.test/a%20%20%20b'],
    ['HTTPS://x.test/?q=a>b&c=<d>', 'HTTPS://x.test/?q=a%3Eb&c=%3Cd%3E'],
    ['https://x.test/a&nbsp;b\u200bc&shy;', 'https://x.test/a%C2%A0b%E2%80%8Bc%C2%AD'],
    ['https://x.test/{{ name }}/<% a %>/b c', 'https://x.test/{{ name }}/<% a %>/b%20c'],
    ['https://x.test/a\n\t\r\nb', 'https://x.test/ab'],
    ['mailto:a@x.test?subject=My order', 'a@x.test'],
    [' MAILTO:a%2Bb%40x.test,c@x.test?body=Hello%0AYou', 'a+b@x.test,c@x.test'],
    ['mailto:a%0Ab%3Cc@x.test', 'a%0Ab%3Cc@x.test'],
    ['mailto:100%@x.test', '100%@x.test'],
    ['tel:+49-30-1234', '+49-30-1234'],
    ['Tel:+49%2030%201234;ext=5;phone-context=x', '+49 30 1234 ext. 5'],
    ['sms:+4930?body=Hi', '+4930'],
  ])('shows the address %j as browsers read it', (href, expected) => {
    expect(textPartOf(`<a href="${href}">x</a>`)).toBe(`x <${expected}>`);
  });

  it.each([
    ['mailto:jo@x.test?subject=Hello', 'Jo@x.test'],
    ['tel:+49301234', '+49 30 1234'],
    ['tel:+49301234', 'Call +49 (30) 12-34'],
    ['mailto:?subject=News&body=https://x.test', 'Tell a friend'],
    [' #top', 'Up'],
    ['tel:', 'Call'],
  ])('shows the words alone where %j adds nothing to %j', (href, words) => {
    expect(textPartOf(`<a href="${href}">${words}</a> now`)).toBe(`${words} now`);
  });

  it.each([
    ['mailto:jo@x.test', 'bigjo@x.test'],
    ['tel:+49301234', '030 1234'],
    ['tel:+49301234', 'Call'],
  ])('shows %j behind the words %j', (href, words) => {
    expect(textPartOf(`<a href="${href}">${words}</a>`)).toBe(`${words} <${href.replace(/^\w+:/, '')}>`);
  });

  it.each(['DISPLAY:NONE', 'color:red; display : none', 'display:none !important', 'Display:\nNone'])(
    'does not show what the style %j hides',
    (style) => expect(textPartOf(`<p style="${style}">Not this</p>Hello`)).toBe('Hello'),
  );

  it.each([
    ['<ol><li>a<li value=5>b<li>c</ol>', ['1.', '5.', '6.']],
    ['<ol><li value=x>a<li value=-2>b<li value=99999999999>c</ol>', ['1.', '-2.', '-1.']],
    ['<ol reversed><li>a<li>b<li>c</ol>', ['3.', '2.', '1.']],
    ['<ol reversed start=10 type=a><li>a<li value=3>b<li>c</ol>', ['j.', 'c.', 'b.']],
  ])('numbers the items of %s', (html, numbers) => {
    const lines = textPartOf(html).split('\n');
    expect(lines.map((line) => line.trim().split(/ +/)[0])).toEqual(numbers);
  });

  it.each(['😀', '&amp;', '&#x1f600;', '\ue00012\ue001'])('does not cut %s in the middle', (whole) => {
    for (let at = 0; at < whole.length; at++) {
      const text = textPartOf('x'.repeat(128 * 1024 - at) + whole + '\ue000');
      expect(text.replace(/^x+/, '')).toBe('\n…');
    }
    const line = `${'> '.repeat(20)}${whole}`.length + 1;
    const long = textPartOf('<blockquote>'.repeat(20) + '<pre>' + `${whole}\n`.repeat(400_000 / line));
    expect(long).toMatch(/^[\s\S]*(?:[>&]|;|\ude00|\ue001)\n…$/);
  });

  it('takes linear time for elements without an end', () => {
    const html = '<title>'.repeat(18_000);
    expect(textPartOf(html)).toBe('');
  });

  it('is empty for nothing', () => expect(textPartOf('')).toBe(''));

  it('skips images inside the HTML, however large', () => {
    const image = `<img src="data:image/png;base64,${'A'.repeat(3_000_000)}" alt="Logo">`;
    expect(textPartOf(`<p>One</p>${image}<p>Two</p>`)).toBe('One\n\nTwo');
  });

  it('truncates documents that are too long or too deep', () => {
    expect(textPartOf(`<p>Start</p>${'words '.repeat(100_000)}`)).toMatch(/^Start\n\nwords [\s\S]*\n…$/);
    expect(textPartOf(`<p>Start</p>${'<div>x'.repeat(10_000)}`)).toMatch(/^Start\n\nx[\s\S]*\n…$/);
  });
});

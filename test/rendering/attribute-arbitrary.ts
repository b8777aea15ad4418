import fc from 'fast-check';

/** Separators of attributes. */
export const blank = fc.constantFrom('', '\v', ' ', '\n', '\t', '\r\n', '\f', '  ', '\r', '/', ' / ');
const host = fc.constantFrom(
  'a.test',
  'WWW.B.test:8080',
  'müller.de',
  'user@c.test',
  '127.0.0.1',
  'a.1',
  '1.2.3.400',
  'xn--a.test',
  'xn--mller-kva.test',
  'a..test',
  'a-.test.',
  'x.test:65536',
  '[::1]',
  '{{host}}',
  'exa mple',
  'x_y.test',
  '%41.test',
  '',
);
const path = fc.constantFrom(
  '',
  '/',
  '/?a=1&b=2',
  '/?a=1&amp;b=2&copy=3&copy;&notit;&not',
  '/#x',
  '/ü/😀',
  '/{{name}}',
  '/a b',
  '/a&#13;b&#0;&#x80;',
  '/a\tb\nc\r\nd',
  '/\0\u0001',
  '/&quot;&apos;&gt;',
  '\\x',
  '/&AMP',
  '/*|EMAIL|*',
);
const webAddress = fc
  .tuple(
    fc.constantFrom('', '\v', ' ', '\n', '&#32;', '\u0001'),
    fc.constantFrom('https://', 'http://', 'HTTPS://', 'ht&#116;p://', 'http&colon;//', 'https:///', 'https:/'),
    host,
    path,
    fc.constantFrom('', '\v', ' ', '\t'),
  )
  .map((parts) => parts.join(''));
const address = fc.oneof(
  { weight: 4, arbitrary: webAddress },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '#',
      'mailto:x@y.test',
      'tel:1',
      'javascript:x',
      '//a.test',
      'page',
      '{{url}}',
      '*|URL|*',
      'data:,x',
      'https://t.test/api/t/c/0-x',
      'HTTPS://T.test/api/t/c/1-x',
    ),
  },
);

const attributeName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('href', 'HREF', 'Href') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'class',
      'src',
      'xlink:href',
      'data-href',
      'hre',
      'hrefs',
      '"',
      "'",
      '<',
      '=',
      'a"b',
      'é',
      'h\u212aef',
      '\0',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'clicktracking',
      'data-msys-clicktrack',
      'ses:no-track',
      'rel',
      'REL',
      'clic\u212atracking',
    ),
  },
);
const attributeValue = fc.oneof(
  { weight: 5, arbitrary: address },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'off',
      'OFF',
      '0',
      '1',
      'noopener notrack',
      'x>y',
      '>',
      '<a href=https://in.test>',
      '<a href=https://in.test>',
      '/',
      '=',
      'x/',
    ),
  },
);
const equals = fc.constantFrom('=', '=', ' = ', '=\n', '\t=', '==', '');
/** An attribute in any of its spellings; most are links. */
export const attribute = fc
  .tuple(attributeName, equals, attributeValue, fc.constantFrom('"', '"', "'", '', 'cut'))
  .map(([name, sign, value, quote]) => {
    if (sign === '') return name;
    if (quote === 'cut') return `${name}${sign}"${value}`;
    const clean = quote === '' ? value.replace(/[\s>]/g, '') : value.replaceAll(quote, '');
    return `${name}${sign}${quote}${clean}${quote}`;
  });

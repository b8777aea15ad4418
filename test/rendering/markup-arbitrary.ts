import fc, { type Arbitrary } from 'fast-check';
import { attribute, blank } from './attribute-arbitrary.js';

const linkName = fc.constantFrom('a', 'A', 'a', 'area', 'AREA', 'v:roundrect', 'V:Shape');
const otherName = fc.constantFrom(
  'p',
  'div',
  'TABLE',
  'td',
  'span',
  'abbr',
  'b',
  'aside',
  'v',
  'img',
  'body',
  'br',
  'a:b',
  'a="x"',
  'a\0',
  'vv:x',
  'h1',
  'br\u00e9',
);
const tag = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: linkName }, { weight: 2, arbitrary: otherName }),
    fc.array(fc.tuple(blank, attribute), { maxLength: 4 }),
    fc.constantFrom('>', '>', '>', '/>', ' >', ' / >', '', '\n>'),
  )
  .map(([name, attributes, end]) => `<${name}${attributes.flat().join('')}${end}`);
const endTag = fc
  .tuple(
    fc.constantFrom('a', 'A', 'p', 'td', 'table', 'body', 'BODY', 'body', 'div', 'html', 'br', ' a', '', '1'),
    fc.constantFrom('>', ' >', '\n/>', ' x=">">', ''),
  )
  .map(([name, end]) => `</${name}${end}`);

const text = fc.oneof(
  fc.constantFrom(
    'words',
    ' ',
    '\n',
    '\r\n',
    'https://text.test',
    '&amp;',
    '<',
    '< a href=https://no.test>',
    '<3',
    '\0',
    '\ufeff',
    'é😀',
    '\ud800',
    '>',
    '"',
    "'",
    '--',
    ']]>',
    '{{#if x}}',
  ),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);

const inner: Arbitrary<string> = fc.array(fc.oneof(tag, endTag, text), { maxLength: 5 }).map((parts) => parts.join(''));
const RAW = [
  'script',
  'style',
  'title',
  'textarea',
  'noscript',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'SCRIPT',
  'Title',
];
const rawText = fc
  .tuple(
    fc.constantFrom(...RAW),
    fc.constantFrom('>', ' x="1">', '/>'),
    inner,
    fc.constantFrom('', '<!--', '<!-- <script>', '-->', '</scrip', '</style', '<!-->', '<!--<script></script>'),
    inner,
    fc.constantFrom('>', ' >', '/>', ' a="', '', 'x>'),
  )
  .map(([name, start, one, odd, two, end]) => `<${name}${start}${one}${odd}${two}</${name}${end}`);
const comment = fc
  .tuple(
    fc.constantFrom('<!--', '<!-', '<!', '<?', '<![CDATA[', '<!doctype ', '<!--->', '<!-->', '<!---'),
    inner,
    fc.constantFrom('-->', '--!>', '>', '--->', ']]>', '', '--'),
  )
  .map((parts) => parts.join(''));
const conditional = fc
  .tuple(
    fc.constantFrom(
      '<!--[if mso]>',
      '<!--[if gte mso 9]>',
      '<!--[IF !mso]>',
      '<!-- [if mso]>',
      '<!--[if mso>',
      '<![if !mso]>',
      '<!--[if !mso]><!-->',
      '<!--[if !mso]>-->',
      '<!--[if]]>',
    ),
    inner,
    fc.constantFrom('<![endif]-->', '<![endif]>', '<!--<![endif]-->', '<![ENDIF]-->', '-->', ''),
  )
  .map((parts) => parts.join(''));

const piece = fc.oneof(
  { weight: 6, arbitrary: tag },
  { weight: 3, arbitrary: endTag },
  { weight: 3, arbitrary: text },
  { weight: 1, arbitrary: rawText },
  { weight: 1, arbitrary: comment },
  { weight: 1, arbitrary: conditional },
);
/** Tags, text, raw text and comments in any order. */
export const markup = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(''));

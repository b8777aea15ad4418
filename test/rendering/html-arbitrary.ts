import fc, { type Arbitrary } from 'fast-check';
import { markup } from './markup-arbitrary.js';

/*
 * HTML of all kinds: well-formed, sloppy, broken and hostile. What the tree builder of parse5 drops with everything in
 * it (`select`, `frameset`) is left out, since there a tokenizer alone cannot know better.
 */

/** Pictures with well-formed tags: only a tree parser knows the effect of broken ones. */
const picture = fc
  .tuple(
    fc.constantFrom('svg', 'SVG', 'math'),
    fc.array(
      fc.constantFrom(
        '<a href="https://svg.test/"><path/></a>',
        '<![CDATA[<a href="https://no.test/">]]>',
        '<![CDATA[ > ]]>',
        '<style>a > b {} <a href="https://styled.test"></a></style>',
        '<script><a href="https://scripted.test"></a></script>',
        '<g><path d="M0>0"/></g>',
        '<p><title><a href="https://no.test"></title>',
        '<!--[if mso]><a href="https://mso.test"></a><![endif]-->',
      ),
      { maxLength: 4 },
    ),
    fc.constantFrom(
      '',
      '<title>A <a href="https://title.test">t</a></title>',
      '<foreignObject><p><a href="https://html.test">h</a><style><a href="https://no.test"></style></p></foreignObject>',
      '<desc><textarea><a href="https://no.test"></textarea></desc>',
    ),
  )
  .map(([root, parts, html]) => `<${root}>${parts.join('')}${root === 'math' ? '' : html}</${root}>`);
/** HTML around SVG and MathML. */
const markupWithPictures = fc
  .tuple(
    fc.constantFrom('', '<p>', '<a href=https://before.test>'),
    picture,
    fc.constantFrom('', '<style><a href="https://no.test"></style>', '<svg/>', '<p>'),
    picture,
    fc.constantFrom('', '<style><a href="https://no.test"></style>'),
  )
  .map((parts) => parts.join(''));

const SPECIAL = [
  '<',
  '>',
  '"',
  "'",
  '=',
  '/',
  '!',
  '-',
  '--',
  '&',
  ' ',
  '\0',
  '\r',
  '[',
  ']',
  'a',
  '?',
  ';',
  '<a ',
  '</',
  '-->',
  '<!--',
];
const mutations = fc.array(fc.tuple(fc.nat(), fc.constantFrom('drop', 'add', 'swap'), fc.constantFrom(...SPECIAL)), {
  maxLength: 4,
});

function mutated(html: string, changes: readonly [number, string, string][]): string {
  for (const [position, change, character] of changes) {
    const at = position % (html.length + 1);
    const after = change === 'add' ? at : at + 1;
    html = html.slice(0, at) + (change === 'drop' ? '' : character) + html.slice(after);
  }
  return html;
}

/** Any HTML, at times cut off in the middle. */
export const anyHtml: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: markup },
  { weight: 6, arbitrary: fc.tuple(markup, mutations).map(([html, changes]) => mutated(html, changes)) },
  { weight: 2, arbitrary: fc.tuple(markup, fc.nat()).map(([html, cut]) => html.slice(0, cut % (html.length + 1))) },
  { weight: 1, arbitrary: markupWithPictures },
);

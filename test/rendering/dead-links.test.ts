import fc from 'fast-check';
import { deadenLinks } from '../../src/rendering/dead-links.js';

it.each([
  ['<a href="https://acme.example/">x</a>', '<a href="#">x</a>'],
  ["<A HREF='mailto:ada@acme.example'>x</A>", "<A HREF='#'>x</A>"],
  ['<a href=https://acme.example/?a=1&b=2>x</a>', '<a href=#>x</a>'],
  ['<area href="/relative">', '<area href="#">'],
  [
    '<!--[if mso]><v:rect href="https://acme.example/"></v:rect><![endif]-->',
    '<!--[if mso]><v:rect href="#"></v:rect><![endif]-->',
  ],
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

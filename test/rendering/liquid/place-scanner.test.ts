import { PlaceScanner } from '../../../src/rendering/liquid/place-scanner.js';

/**
 * The places of the outputs in HTML, each written as `§`: the kind, with `unquoted` where a blank would end the value.
 */
function placesIn(html: string): string[] {
  const scanner = new PlaceScanner();
  const [first, ...others] = html.split('§');
  scanner.read(first!);
  return others.map((piece) => {
    const { kind, isQuoted } = scanner.output();
    scanner.read(piece);
    return isQuoted ? kind : `${kind}, unquoted`;
  });
}

it.each([
  ['<p>§</p>§', ['text', 'text']],
  ['a < § 1<2 §', ['text', 'text']],
  ['<p title="§" lang=\'a§\'>', ['value', 'value']],
  ['<p dir=§ id=a§>§', ['value, unquoted', 'value, unquoted', 'text']],
  ['<p title = "§">', ['value']],
])('distinguishes text from quoted and unquoted values of attributes: %s', (html, places) => {
  expect(placesIn(html)).toEqual(places);
});

it.each([
  ['<a href="§">', ['url start']],
  ['<a href="§/b§">', ['url start', 'url path']],
  ['<a href="§§">', ['url start', 'url start']],
  ['<a href="a§">', ['url start']],
  ['<a href="a:§">', ['url path']],
  ['<a href="https://a.test/§?b=§#§">', ['url path', 'url query', 'url query']],
  ['<a href=" §">', ['url start']],
  ['<A HREF=§ title="§">', ['url start, unquoted', 'value']],
  ["<img src='§'><td background='§'>", ['url start', 'url start']],
])('finds the part of a URL that the value belongs to: %s', (html, places) => {
  expect(placesIn(html)).toEqual(places);
});

it.each([
  ['<§>', ['markup, unquoted']],
  ['</§>', ['markup, unquoted']],
  ['<p §>', ['markup, unquoted']],
  ['<p a§="b">', ['markup, unquoted']],
  ['<p a §>', ['markup, unquoted']],
])('a value in a tag, but not in an attribute, is markup: %s', (html, places) => {
  expect(placesIn(html)).toEqual(places);
});

it.each([
  ['<script>let a = "§"</b></script>§', ['script', 'text']],
  ['<STYLE>§</Style >§', ['style', 'text']],
  ['<title>§<b></title>§', ['text', 'text']],
  ['<textarea>§</text></textarea>§', ['text', 'text']],
  ['<title></title/>§', ['text']],
])('only its own end tag ends raw text: %s', (html, places) => {
  expect(placesIn(html)).toEqual(places);
});

it.each([
  ['<title><§', ['markup, unquoted']],
  ['<title></b>§</title>§', ['markup, unquoted', 'text']],
  ['<title></tit§</title>§', ['markup, unquoted', 'text']],
  ['<script>if (a < b) c = "§"', ['script, unquoted']],
])('behind a `<` in raw text, a value could complete an end tag: %s', (html, places) => {
  expect(placesIn(html)).toEqual(places);
});

it.each([
  ['<!-- <p title="§"> -->§', ['comment', 'text']],
  ['<!-- a --!>§', ['text']],
  ['<!doctype §>§', ['comment', 'text']],
  ['<?xml §>§', ['comment', 'text']],
  ['<!--[if mso]><a href="§">§</a><![endif]-->§', ['url start', 'text', 'text']],
])('the content of a comment is none of the document, except in a conditional comment: %s', (html, places) => {
  expect(placesIn(html)).toEqual(places);
});

it('follows each branch of a template with a clone', () => {
  const scanner = new PlaceScanner();
  scanner.read('<p title="');
  const other = scanner.clone();
  scanner.read('">');
  expect(scanner.output().kind).toBe('text');
  expect(other.output().kind).toBe('value');
});

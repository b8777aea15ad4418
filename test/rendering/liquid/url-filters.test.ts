import { LiquidTemplate } from '../../../src/rendering/liquid/liquid-template.js';

function html(source: string, v: string): string {
  return LiquidTemplate.parse('html', source).render({ v }, { now: new Date(0) });
}

it.each([
  ['<a href="/?q={{ v | uri_escape }}">', 'a b&c=d#e%', '<a href="/?q=a%20b%26c%3Dd%23e%25">'],
  ['<a href="/?q={% echo v | uri_escape %}">', 'a&b=c', '<a href="/?q=a%26b%3Dc">'],
  ['<a href="/?q={% cycle v | uri_escape %}">', 'a&b=c', '<a href="/?q=a%26b%3Dc">'],
  ['<a href="/?q={{ v | cgi_escape }}">', 'a b&c', '<a href="/?q=a+b%26c">'],
])('a value in a query adds no parameters: %s with %j', (source, value, expected) => {
  expect(html(source, value)).toBe(expected);
});

it('the path of a URL is encoded once', () => {
  expect(html('<a href="/{{ v | uri_escape }}">', 'a b/ü')).toBe('<a href="/a%20b/%C3%BC">');
});

it('a value can be a whole query', () => {
  expect(html('<a href="/?{{ v | uri_escape | raw }}">', 'a=b c&d')).toBe('<a href="/?a=b%20c&d">');
});

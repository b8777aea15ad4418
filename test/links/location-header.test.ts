import fc from 'fast-check';
import { locationOf } from '../../src/links/location-header.js';

describe('locationOf', () => {
  it.each([
    'https://example.com',
    'HTTP://Example.com:80/a//b/../c?x=%e4&y=1+2|{}<>"`^#~!',
    'https://user:pass@example.com/a b',
    'http://[::1]:3000/?q=[]',
  ])('keeps every byte of %s', (url) => expect(locationOf(url)).toBe(url));

  it.each([
    ['https://müller.de/straße?ü=ö#é', 'https://xn--mller-kva.de/stra%C3%9Fe?%C3%BC=%C3%B6#%C3%A9'],
    ['https://例え.jp:8080/', 'https://xn--r8jz45g.jp:8080/'],
    ['https://tö:pä@example.com/Ä', 'https://t%C3%B6:p%C3%A4@example.com/%C3%84'],
    ['https://example.com/\u0001\u007f😀', 'https://example.com/%01%7F%F0%9F%98%80'],
    ['https://example.com/%20 €', 'https://example.com/%20 %E2%82%AC'],
    ['https://example.com\\ü', 'https://example.com\\%C3%BC'],
    ['https://exämple..com:/ü', 'https://xn--exmple-cua..com:/%C3%BC'],
  ])('writes %s as %s', (url, location) => expect(locationOf(url)).toBe(location));

  it('leads where a browser would have gone, in characters a header can carry', () => {
    const rest = fc.string({ unit: 'grapheme' }).map((text) => text.toWellFormed().replace(/[\t\n\r]/g, ''));
    fc.assert(
      fc.property(fc.constantFrom('example.com', 'bücher.example', '例え.jp', 'a:b@x.test'), rest, (host, rest) => {
        const url = `https://${host}/${rest}`;
        const location = locationOf(url);
        expect(location).toMatch(/^[\x20-\x7e]*$/);
        expect(new URL(location).href).toBe(new URL(url).href);
      }),
    );
  });
});

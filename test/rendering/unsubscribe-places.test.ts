import fc from 'fast-check';
import { generateEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { readUnsubscription } from '../../src/links/unsubscribe-token.js';
import { renderEmail } from '../../src/rendering/render-email.js';
import { keysWith } from '../links/keys.js';

const keys = keysWith(1);
const emailTrackingId = generateEmailTrackingId(keys, new Uint8Array(12).fill(5));
const baseUrl = 'https://t.test';
const unsubscribe = { sender: { address: 'news@acme.example', name: 'Acme' }, recipient: 'reader@example.com' };
const render = (html: string, base = baseUrl) =>
  renderEmail({ html, emailTrackingId, baseUrl: base, unsubscribe }, keys);
const url = render('').unsubscribeUrl!;

it('the address is under the base URL and carries a token of this email', () => {
  expect(url.startsWith(`${baseUrl}/api/t/u/`)).toBe(true);
  const token = url.slice(`${baseUrl}/api/t/u/`.length);
  expect(readUnsubscription(keys, token)).toMatchObject({ emailTrackingId, sender: unsubscribe.sender });
  expect(render('<p>other</p>').unsubscribeUrl).toBe(url);
});

it.each([
  '{{unsubscribe_url}}',
  '{{ unsubscribe_url }}',
  '%7B%7Bunsubscribe_url%7D%7D',
  '%7b%7b%20unsubscribe_url%7d%7d',
])('%s becomes the address in HTML and text, and is never click-tracked', (place) => {
  const { html, text, links } = render(
    `<a href="https://shop.example/">Shop</a> <a href='${place}'>Unsubscribe</a> <p>or go to ${place}</p>`,
  );
  expect(html.split(url)).toHaveLength(3);
  expect(html).toContain(`<a href='${url}'>Unsubscribe</a>`);
  expect(text.split(url)).toHaveLength(3);
  expect(html + text).not.toContain('unsubscribe_url');
  expect(links.map(({ originalUrl }) => originalUrl)).toEqual(['https://shop.example/']);
});

it('HTML without a placeholder is not changed', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (body) => {
      const plain = renderEmail({ html: body, emailTrackingId, baseUrl }, keys);
      expect(render(body)).toEqual({ ...plain, unsubscribeUrl: url });
    }),
  );
});

it('without `unsubscribe`, braces stay braces', () => {
  const { html, text, unsubscribeUrl } = renderEmail(
    { html: '<p>{{unsubscribe_url}}', emailTrackingId, baseUrl },
    keys,
  );
  expect(html).toContain('{{unsubscribe_url}}');
  expect(text).toContain('{{unsubscribe_url}}');
  expect(unsubscribeUrl).toBeUndefined();
});

it('is never tracked, however its host is spelled, and its header is ASCII', () => {
  const rendered = render('<a href="{{unsubscribe_url}}">x</a>', 'https://BÜCHER.test/Mail');
  expect(rendered.unsubscribeUrl).toMatch(/^https:\/\/xn--bcher-kva\.test\/Mail\/api\/t\/u\/[\w-]+$/);
  expect(rendered.links).toEqual([]);
  expect(rendered.html).toContain(`href="${rendered.unsubscribeUrl}"`);
});

it('a document full of placeholders grows by a limited amount', () => {
  const { html } = render('{{unsubscribe_url}}'.repeat(100_000));
  expect(html.split(url)).toHaveLength(101);
  expect(html.length).toBeLessThan(100_000 * 19 + 101 * 1_000);
});

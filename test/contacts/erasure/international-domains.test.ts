import { personOf } from '../../../src/contacts/erasure/person.js';
import { ErasureBench } from './erasure-bench.js';

const JANE = 'jane@bücher.example';
const BOB = 'bob@example.com';
/** The domain as it is stored, as people write it, in URLs and in HTML. */
const TRACES = [
  'jane@xn--bcher-kva.example',
  JANE,
  'JANE@BÜCHER.EXAMPLE',
  'jane%40b%C3%BCcher.example',
  'jane%2540b%25C3%25BCcher.example',
  'jane&#64;b&#252;cher.example',
];

it('an erasure finds an address in another alphabet however its domain is written', async () => {
  const bench = await ErasureBench.start();
  try {
    const link = `https://shop.example/?email=${encodeURIComponent(JANE)}`;
    await bench.send({
      to: [JANE, BOB],
      subject: `Hello ${JANE}`,
      htmlContent: `<p>${TRACES.join(' ')} <a href="${link}">Shop</a></p>`,
      metadata: { user: JANE },
      campaignId: 'Spring',
    });
    const before = await bench.find(...TRACES.slice(1));
    for (const place of ['subject', 'html', 'metadata']) expect(before).toContain(`email_contents.${place}`);
    expect(before).toContain('email_links.urls');
    expect(await bench.erase(JANE)).toBe(true);
    expect(await bench.find(...TRACES)).toEqual([]);
    expect(await bench.find('bob@example.com', 'shop.example')).not.toEqual([]);
  } finally {
    await bench.stop();
  }
});

it.each([
  ['jane@xn--bcher-kva.example', 'to jane%40B%C3%9CCHER.example', 'to erased'],
  ['jane@xn--strae-oqa.example', 'to jane@straße.example.', 'to erased.'],
  ['jane@xn--strae-oqa.example', 'to jane@strasse.example', 'to jane@strasse.example'],
  ['jane@xn--hostnm-t9a.example', 'to jane@hostnım.example', 'to erased'],
])('the pattern of %s changes %j to %j', (address, text, left) => {
  expect(text.replace(new RegExp(personOf('any', address).pattern, 'gi'), 'erased')).toBe(left);
});

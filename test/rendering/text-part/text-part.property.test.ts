import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textPartOf } from '../../../src/rendering/text-part/text-part.js';
import { htmlToText } from './html-to-text.js';
import { checkAnyMarkup } from './text-part-properties.js';

const fixtures = join(import.meta.dirname, '..', '..', 'fixtures', 'emails');

describe('the text part', () => {
  // The long run is `npm run test:fuzz`.
  it('is that of html-to-text for any markup', () => checkAnyMarkup({ seed: 20_261_125, numRuns: 400 }));

  it('is that of html-to-text for a title in a list', () => {
    const markup = '<ul><li><ul><p></p><article></article><title hidden></title><p></p><li></li></ul></li></ul>';
    expect(textPartOf(markup)).toBe(htmlToText(markup));
  });

  it('is that of html-to-text where nested markers leave little of a line', () => {
    const markup = `${'<ol type=i start=3888><li>'.repeat(5)}${'word '.repeat(50)}`;
    expect(textPartOf(markup)).toBe(htmlToText(markup));
  });

  it.each(readdirSync(fixtures))('is that of html-to-text for %s', (name) => {
    const markup = readFileSync(join(fixtures, name), 'utf8');
    expect(textPartOf(markup).replace(/\n…$/, '')).toBe(htmlToText(markup));
  });
});

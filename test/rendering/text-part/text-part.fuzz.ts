import { checkAnyMarkup } from './text-part-properties.js';

describe('the text part', () => {
  it(
    'is that of html-to-text for 50,000 documents, different ones in every run',
    () => checkAnyMarkup({ numRuns: 50_000 }),
    3_600_000,
  );
});

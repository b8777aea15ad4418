import { checkAnyHtml } from './track-links-properties.js';

describe('trackLinks on any HTML', () => {
  it(
    'keeps its guarantees for 100,000 documents, different ones in every run',
    () => checkAnyHtml({ numRuns: 100_000 }),
    3_600_000,
  );
});

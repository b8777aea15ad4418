import { checkAnyHtml } from './track-links-properties.js';

describe('trackLinks on any HTML', () => {
  it(
    'keeps its promises, 100,000 times, on other HTML in every run',
    () => checkAnyHtml({ numRuns: 100_000 }),
    3_600_000,
  );
});

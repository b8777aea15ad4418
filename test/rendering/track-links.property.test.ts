import { checkAnyHtml } from './track-links-properties.js';

describe('trackLinks on any HTML', () => {
  // The long run is `npm run test:fuzz`.
  it('keeps its guarantees', () => checkAnyHtml({ seed: 20_260_101, numRuns: 4_000 }));
});

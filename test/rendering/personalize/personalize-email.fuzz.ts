import { checkPieces, checkTags } from './personalize-properties.js';

describe('personalizing 10,000 generated templates', () => {
  it(
    'by joining pieces gives the same bytes as rendering the whole',
    () => checkPieces({ numRuns: 10_000 }),
    3_600_000,
  );

  it('by replacing tags gives the same bytes as joining pieces', () => checkTags({ numRuns: 10_000 }), 3_600_000);
});

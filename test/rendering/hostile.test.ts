import { textPartOf } from '../../src/rendering/text-part/text-part.js';
import { trackLinks } from '../../src/rendering/track-links.js';
import { HOSTILE } from './hostile-html.js';
import { plainTracker } from './plain-tracker.js';
import { processorTime } from '../support/processor-time.js';

const SMALL = 625_000;
const LARGE = 8 * SMALL;
const ROUNDS = 4;

function millisecondsOf(work: () => void): number {
  const spentMs = processorTime();
  work();
  return spentMs();
}

describe.each(Object.entries(HOSTILE))('5 MB of %s', (_name, document) => {
  it('is tracked in linear time', () => {
    const small = document(SMALL);
    const large = document(LARGE);
    trackLinks(small, plainTracker);
    let [smallMs, largeMs] = [Infinity, Infinity];
    // Eight times the size takes about eight times the time, and quadratic work sixty-four times. A machine that slows
    // down for a moment slows one of the two in one round, not the fastest of several.
    for (let round = 0; round < ROUNDS && !(largeMs < 30 * Math.max(smallMs, 20)); round++) {
      smallMs = Math.min(
        smallMs,
        millisecondsOf(() => trackLinks(small, plainTracker)),
      );
      largeMs = Math.min(
        largeMs,
        millisecondsOf(() => trackLinks(large, plainTracker)),
      );
    }
    expect(largeMs).toBeLessThan(30 * Math.max(smallMs, 20));
  });

  it('gets a text part of limited length within the time limit of a thread', () => {
    const html = document(LARGE);
    let text = '';
    expect(millisecondsOf(() => (text = textPartOf(html)))).toBeLessThan(2000);
    expect(text.length).toBeLessThan(1_100_000);
  });
});

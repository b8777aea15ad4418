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

/**
 * Checks that `work` takes linear time: for eight times the size, eight times the time, where quadratic work takes
 * sixty-four times. A machine that slows down for a moment slows one of the two in one round, not the
 * fastest of several.
 */
function expectLinearTime(document: (size: number) => string, work: (html: string) => void): void {
  const [small, large] = [document(SMALL), document(LARGE)];
  work(small);
  let [smallMs, largeMs] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS && !(largeMs < 30 * Math.max(smallMs, 20)); round++) {
    smallMs = Math.min(
      smallMs,
      millisecondsOf(() => work(small)),
    );
    largeMs = Math.min(
      largeMs,
      millisecondsOf(() => work(large)),
    );
  }
  expect(largeMs).toBeLessThan(30 * Math.max(smallMs, 20));
}

describe.each(Object.entries(HOSTILE))('5 MB of %s', (_name, document) => {
  it('is tracked in linear time', () => {
    expectLinearTime(document, (html) => trackLinks(html, plainTracker));
  });

  it('gets a text part of limited length in linear time', () => {
    let text = '';
    expectLinearTime(document, (html) => (text = textPartOf(html)));
    expect(text.length).toBeLessThan(1_100_000);
  });
});

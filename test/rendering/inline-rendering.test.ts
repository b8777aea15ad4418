import { InlineRendering } from '../../src/rendering/inline-rendering.js';
import { textPartOf } from '../../src/rendering/text-part/text-part.js';
import { trackLinks } from '../../src/rendering/track-links.js';
import { HOSTILE, NESTED_LINES } from './hostile-html.js';
import { plainTracker } from './plain-tracker.js';
import { processorTime } from '../support/processor-time.js';

/** Many times as long as rendering a document takes once its code is optimized, and far from what others notice. */
const BUDGET_MS = 60;
const ROUNDS = 5;
const MAX_LENGTH = 32 * 1024;
const inline = new InlineRendering({ busyShare: 0 });

/** Processor time of the fastest of several rounds. */
function millisecondsOf(work: () => void): number {
  let fastest = Infinity;
  for (let round = 0; round < ROUNDS && fastest > BUDGET_MS / 10; round++) {
    const spentMs = processorTime();
    work();
    fastest = Math.min(fastest, spentMs());
  }
  return fastest;
}

/** The longest beginning of a hostile document that is rendered on the main thread. */
function largestInline(document: (size: number) => string): string {
  let size = MAX_LENGTH;
  while (!inline.suits(document(size))) size = Math.floor(size * 0.9);
  return document(size);
}

const documents = [
  ...Object.entries(NESTED_LINES),
  ...Object.entries(HOSTILE).map(([name, document]) => [name, largestInline(document)] as const),
];

it.each(documents)('does not hold up the event loop with %s', (_name, html) => {
  expect(inline.suits(html)).toBe(true);
  const render = () => void [textPartOf(html), trackLinks(html, plainTracker)];
  expect(millisecondsOf(render)).toBeLessThan(BUDGET_MS);
});

it.each(Object.entries(NESTED_LINES))('limits the text of %s', (_name, html) => {
  const text = textPartOf(html);
  expect(text.length).toBeLessThan(300_000);
  expect(text).toMatch(/\ny$|…$|[ >]y$/);
});

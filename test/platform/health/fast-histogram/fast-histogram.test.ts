import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { FastHistogram } from '../../../../src/platform/health/fast-histogram/fast-histogram.js';

const buckets = [0.001, 0.01, 0.1, 1];
const about = { name: 'h', help: 'H', buckets };

describe('FastHistogram', () => {
  it("exports the same as the library's own histogram", async () => {
    const observations = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom(0, 0.001, 0.002, 0.5, 1, 7)));
    await fc.assert(
      fc.asyncProperty(observations, async (seen) => {
        const [ours, theirs] = [new Registry(), new Registry()];
        const plain = new FastHistogram({ ...about, label: 'kind', values: ['a', 'b'], registry: ours });
        const reference = new Histogram({ ...about, labelNames: ['kind'], registers: [theirs] });
        for (const kind of ['a', 'b']) reference.zero({ kind });
        for (const [kind, seconds] of seen) {
          plain.count(kind as 'a' | 'b', seconds);
          reference.observe({ kind }, seconds);
        }
        expect(linesOf(await ours.metrics())).toEqual(linesOf(await theirs.metrics()));
      }),
      { numRuns: 50 },
    );
  });

  it('is what the newest owner counts', async () => {
    const registry = new Registry();
    const first = new FastHistogram({ ...about, label: 'kind', values: ['a'], registry });
    first.count('a', 0.5);
    new FastHistogram({ ...about, label: 'kind', values: ['a'], registry });
    expect(await registry.metrics()).toContain('h_count{kind="a"} 0');
  });
});

/** Labels may come in any order. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_all, labels: string) => `{${labels.split(',').sort().join(',')}}`))
    .sort();
}

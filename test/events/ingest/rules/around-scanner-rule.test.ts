import fc from 'fast-check';
import { hitsAroundScanners, OTHER_LINKS } from '../../../../src/events/ingest/rules/around-scanner-rule.js';
import { isCertainScanner, isUncertain, type ClassifiedHit } from '../../../../src/events/ingest/rules/hit.js';
import { codeOfVerdict, NO_SIGN } from '../../../../src/events/verdict.js';
import { processorTime } from '../../../support/processor-time.js';

const SCANNER = codeOfVerdict({ class: 'scanner', reason: 'user-agent:barracuda', certainty: 'certain' });
const WINDOW_MS = 10;

/** The same by its definition: each scanner is compared with each hit. */
function byDefinition(hits: readonly ClassifiedHit[]): Set<ClassifiedHit> {
  const found = new Set<ClassifiedHit>();
  for (const scanner of hits.filter(isCertainScanner)) {
    const around = hits.filter(
      (hit) =>
        isUncertain(hit) &&
        Math.abs(hit.at - scanner.at) <= WINDOW_MS &&
        (hit.position === null || hit.position !== scanner.position),
    );
    const links = new Set(around.flatMap(({ position }) => position ?? []));
    if (links.size >= OTHER_LINKS) for (const hit of around) found.add(hit);
  }
  return found;
}

const hit = fc.record({
  id: fc.uuid(),
  at: fc.nat(60),
  position: fc.option(fc.nat(3)),
  verdict: fc.constantFrom(NO_SIGN, NO_SIGN, SCANNER),
});

it('finds the hits around each scanner', () => {
  fc.assert(
    fc.property(fc.array(hit, { maxLength: 30 }), (hits) => {
      expect(hitsAroundScanners(hits, WINDOW_MS)).toEqual(byDefinition(hits));
    }),
    { numRuns: 1_000 },
  );
});

it('takes little time for an email with very many hits of scanners', () => {
  const hits = Array.from({ length: 10_000 }, (_, place): ClassifiedHit => {
    return { id: `${place}`, at: place % 1_000, position: place % 7, verdict: place % 2 === 0 ? NO_SIGN : SCANNER };
  });
  const spentMs = processorTime();
  expect(hitsAroundScanners(hits, 1_000).size).toBe(hits.length / 2);
  expect(spentMs()).toBeLessThan(1_000);
});

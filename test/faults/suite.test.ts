import { SUITE } from './catalogue.js';
import { Testbed } from './testbed/testbed.js';
import { FINAL_CHECK, runBatches } from './run-batches.js';
import { formatReport } from './report.js';
import type { ScenarioResult } from './run-scenario.js';

/**
 * Ends a run that hangs outside of the waits of its scenarios, each of which has a limit of its own. The suite takes
 * two minutes alone, and five and more on a machine that other programs keep busy.
 */
const HANGS_AFTER_MS = 1_200_000;

let rows: readonly ScenarioResult[] = [];

beforeAll(async () => {
  const testbed = await Testbed.start();
  try {
    rows = await runBatches(testbed, [SUITE], () => undefined);
  } finally {
    await testbed.remove();
  }
  process.stdout.write(`${formatReport(rows)}\n`);
}, HANGS_AFTER_MS);

describe('nothing is lost and nothing is duplicated', () => {
  it.each(SUITE.map(({ id, fault }) => [id, fault]))('%s: %s', (id) => {
    const row = rows.find((each) => each.id === id);
    expect(row).toMatchObject({ violations: [], lost: 0, unflaggedDuplicates: 0, eventsLost: 0, eventsDuplicated: 0 });
    expect(row!.accepted).toBeGreaterThan(0);
  });

  it('leaves nothing behind', () => {
    expect(rows.find(({ id }) => id === FINAL_CHECK.id)?.violations).toEqual([]);
  });
});

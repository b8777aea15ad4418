import { eventually } from '../../support/eventually.js';
import { waitSeconds } from '../actions.js';
import type { Scenario, ScenarioContext } from '../scenario.js';

/** The baseline without a fault. It exercises everything that the invariants check. */
export const noFault: Scenario = {
  id: 'F00',
  fault: 'none: sends to one and several recipients, copies, opens, clicks, failures and their retries, archives',
  withinMs: 30_000,
  async inject(context) {
    const { startTraffic, clients, expect } = context;
    await clickThrough(context);
    const load = startTraffic();
    await waitSeconds(3);
    await load.stop();
    expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
    expect('every send got its response at the first attempt', clients.history.repeatedSends.length === 0);
    expect(
      'every email was accepted, or refused because of its content',
      clients.history.statuses.every((status) => status < 300),
    );
  },
};

/**
 * Clicks all links of emails in order. Each click is stored before the next one, so that the last one relabels stored
 * events: in the usual load, all hits of an email may be in one flush.
 */
async function clickThrough({ testbed, clients, deliveredEmails }: ScenarioContext): Promise<void> {
  for (const position of [0, 1, 2]) {
    const hits = await Promise.all(deliveredEmails.map(({ linkPaths }) => clients.hit(linkPaths[position]!)));
    const ids = hits.map(({ id }) => id);
    const areStored = async (): Promise<boolean> => {
      const rows = await testbed.database.query('select from events where id = any($1::uuid[]) and ordinal = 1', [ids]);
      return rows.length === ids.length;
    };
    // The invariants find those that are lost.
    await eventually(areStored, 5_000).catch(() => undefined);
  }
}

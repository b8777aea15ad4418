import { waitSeconds } from '../actions.js';
import type { Scenario } from '../scenario.js';

/** The baseline without a fault. It exercises everything that the invariants check. */
export const noFault: Scenario = {
  id: 'F00',
  fault: 'none: sends to one and several recipients, copies, opens, clicks, failures and their retries, archives',
  withinMs: 30_000,
  async inject({ startTraffic, clients, expect }) {
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

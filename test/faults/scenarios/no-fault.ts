import { waitSeconds } from '../actions.js';
import type { Scenario } from '../scenario.js';

/** What must be right before anything goes wrong: every invariant sees everything here that it can see. */
export const noFault: Scenario = {
  id: 'F00',
  fault: 'none: sends to one and to several, copies, opens, clicks, failures and their retries, archives',
  withinMs: 30_000,
  async inject({ startTraffic, clients, expect }) {
    const load = startTraffic();
    await waitSeconds(3);
    await load.stop();
    expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
    expect('every send got its response at the first attempt', clients.history.repeatedSends.length === 0);
    expect(
      'every email was accepted, or refused for its own fault',
      clients.history.statuses.every((status) => status < 300),
    );
  },
};

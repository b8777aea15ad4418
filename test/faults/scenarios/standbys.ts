import { waitSeconds } from '../actions.js';
import { Standby } from '../testbed/standby.js';
import type { Scenario, ScenarioContext } from '../scenario.js';
import { eventually } from '../../support/eventually.js';
import { countUnsettled } from '../collect-observations.js';
import { UncheckedOrganization } from './unchecked-organization.js';

const SETTLED_WITHIN_MS = 120_000;

export const synchronousStandby: Scenario = {
  id: 'F44',
  fault: 'Postgres crashes under load, and its synchronous standby takes over its address',
  withinMs: 90_000,
  async inject({ testbed, startTraffic, clients, expect, note }) {
    const standby = await Standby.of(testbed.postgres, testbed.database);
    try {
      await standby.makeSynchronous();
      const load = startTraffic();
      await waitSeconds(4);
      const downtimeMs = await standby.takeOver();
      noteDowntime(note, downtimeMs, await timeUntilAccepted(clients));
      await waitSeconds(4);
      await load.stop();
      expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
    } finally {
      await standby.remove();
    }
  },
};

/**
 * The invariants hold for the load, which pauses while the standby is behind. Another organization sends meanwhile. The
 * scenario counts its losses, of which docs/operations.md warns.
 */
export const asynchronousStandby: Scenario = {
  id: 'F45',
  fault: 'Postgres crashes with commits that its asynchronous standby lacks, and this standby takes over its address',
  withinMs: 90_000,
  async inject({ testbed, startTraffic, clients, expect, note }) {
    const standby = await Standby.of(testbed.postgres, testbed.database);
    try {
      const before = startTraffic();
      await waitSeconds(2);
      await before.stop();
      const unchecked = await UncheckedOrganization.create(testbed);
      await eventually(async () => isSettled(await countUnsettled(testbed, clients.history)), SETTLED_WITHIN_MS);
      await unchecked.scheduleEmails();
      await standby.waitUntilCaughtUp();
      standby.fallBehind();
      await unchecked.sendEmails();
      await unchecked.openEmails();
      await unchecked.waitForScheduledEmails();
      const downtimeMs = await standby.takeOver();
      const after = startTraffic();
      noteDowntime(note, downtimeMs, await timeUntilAccepted(clients));
      const losses = await unchecked.countLosses();
      note(losses.text);
      expect(`the standby lacked everything: ${losses.text}`, losses.isEverything);
      await after.stop();
      expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
    } finally {
      await standby.remove();
    }
  },
};

function isSettled(left: Awaited<ReturnType<typeof countUnsettled>>): boolean {
  return Object.values(left).every((count) => count === 0);
}

/** Resolves with the milliseconds until the service accepts a send again. */
async function timeUntilAccepted({ history }: ScenarioContext['clients']): Promise<number> {
  const startedAt = Date.now();
  const isAccepted = () =>
    history.sends.some(({ responses }) => responses.some(({ status, at }) => status < 300 && at >= startedAt));
  await eventually(isAccepted, SETTLED_WITHIN_MS);
  return Date.now() - startedAt;
}

function noteDowntime(note: ScenarioContext['note'], downtimeMs: number, acceptedMs: number): void {
  const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1);
  note(`no Postgres for ${seconds(downtimeMs)} s, sends accepted ${seconds(acceptedMs)} s later`);
}

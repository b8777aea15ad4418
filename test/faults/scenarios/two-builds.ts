import { EarlierBuild } from '../testbed/earlier-build.js';
import type { ServiceProcess } from '../testbed/service-process.js';
import { waitSeconds } from '../actions.js';
import type { Scenario, ScenarioContext } from '../scenario.js';

const SECONDS_TOGETHER = 5;

/** @param revision of the earlier build; without it, the one before the last change of the sources */
export function twoBuilds(revision?: string): Scenario {
  return {
    id: 'F34',
    fault: 'processes of an earlier build beside those of this one on its schema, then the other way around',
    withinMs: 90_000,
    missingRequirement: () => EarlierBuild.missingRequirement(),
    async inject({ testbed, startTraffic, expect, note }) {
      const earlier = await EarlierBuild.create(revision);
      note(`the earlier build is ${earlier.revision}`);
      try {
        const load = startTraffic();
        const [some, others] = [everySecondProcess(testbed, 0), everySecondProcess(testbed, 1)];
        await switchBuild(some, earlier.program);
        await waitSeconds(SECONDS_TOGETHER);
        await switchBuild(others, earlier.program);
        await switchBuild(some);
        await waitSeconds(SECONDS_TOGETHER);
        await switchBuild(others);
        await load.stop();
      } finally {
        await earlier.remove();
      }
      // Each process handled jobs and stream entries of the other build.
      const dead = await testbed.database.query('select from event_dead_letters');
      expect('every event of one build could be stored by the other', dead.length === 0);
      const failed = testbed.all.filter(({ log }) => /A job could not be ended|An email job failed/.test(log.end));
      expect('every job of one build could be ended by the other', failed.length === 0);
    },
  };
}

/** Every second process of each role. */
function everySecondProcess(
  { apis, edges, workers, flushers }: ScenarioContext['testbed'],
  first: 0 | 1,
): ServiceProcess[] {
  return [apis, edges, workers, flushers].flatMap((role) => role.filter((_, index) => index % 2 === first));
}

/**
 * Restarts one process after the other, as an upgrade does. @param program of the other build; this build by default
 */
async function switchBuild(services: readonly ServiceProcess[], program: readonly string[] = []): Promise<void> {
  for (const service of services) {
    await service.terminate();
    await service.start({}, program);
  }
}

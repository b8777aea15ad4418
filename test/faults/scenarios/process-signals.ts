import { eventually } from '../../support/eventually.js';
import { waitSeconds } from '../actions.js';
import type { Scenario } from '../scenario.js';

export const workerFrozen: Scenario = {
  id: 'F06',
  fault: 'one worker is frozen for 90 s during deliveries and then continues',
  withinMs: 120_000,
  async inject({ testbed, startTraffic }) {
    const load = startTraffic();
    await waitSeconds(2);
    testbed.workers[0]!.freeze();
    await waitSeconds(5);
    await load.stop();
    await waitSeconds(85);
    testbed.workers[0]!.thaw();
    await waitSeconds(5);
  },
};

export function rollingRestarts(rounds: number): Scenario {
  return {
    id: 'F30',
    fault: `${rounds} rolling restarts of every process by SIGTERM under load, behind a load balancer that checks readiness`,
    withinMs: 90_000,
    isLoadBalanced: true,
    async inject({ testbed, startTraffic, clients, balancer, expect, note }) {
      const load = startTraffic({ sendsPerSecond: 30, hitsPerSecond: 60 });
      const codes: (number | null)[] = [];
      for (let round = 0; round < rounds; round++) {
        for (const service of testbed.all) {
          codes.push(await service.terminate());
          await service.start();
          // As an operator does before the next one.
          await eventually(() => balancer?.serves(service));
        }
      }
      await load.stop();
      const { hitsWithoutResponse, reasonsToRepeat } = clients.history;
      note(`${codes.length} processes were stopped`);
      expect(
        'every process exits with code 0',
        codes.every((code) => code === 0),
      );
      expect(`every hit got a response: ${hitsWithoutResponse} got none`, hitsWithoutResponse === 0);
      const reasons = reasonsToRepeat.join('; ');
      expect(`no send was repeated (reasons: ${reasons})`, reasons === '');
    },
  };
}

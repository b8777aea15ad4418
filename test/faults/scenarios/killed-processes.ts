import { QUEUE_PREFIX, QUEUES } from '../../../src/queue/jobs.js';
import { eventually } from '../../support/eventually.js';
import { during, hold, isClaimed, isStored, kill, release, start } from '../moves.js';
import type { Scenario, Stage } from '../scenario.js';

const NEVER = new Promise<never>(() => undefined);

export const apiKilledBeforeEnqueue: Scenario = {
  id: 'F01',
  fault: 'API killed -9 between commit and enqueue',
  withinMs: 60_000,
  async inject({ plant, clients }) {
    // With Redis silent, the API stores the email and then waits for its job to be taken.
    hold(plant.apis, 'redis');
    const sending = Array.from({ length: 5 }, () => clients.send());
    await Promise.all(clients.ledger.sends.slice(-5).map(({ key }) => isStored(plant, key)));
    await kill(plant.apis);
    release(plant.apis, 'redis');
    await start(plant.apis);
    await Promise.all(sending);
  },
};

export const workerKilledBeforeCall: Scenario = {
  id: 'F03',
  fault: 'worker killed -9 after its claim, before the provider heard of it',
  withinMs: 120_000,
  async inject({ plant, clients }) {
    hold(plant.workers, 'smtp');
    const { key } = await clients.send({ atOnce: true });
    await isClaimed(plant, key);
    await kill(plant.workers);
    release(plant.workers, 'smtp');
    await start(plant.workers);
  },
};

export const workerKilledAfterAcceptance: Scenario = {
  id: 'F04',
  fault: 'worker killed -9 after the provider accepted, before it could say so',
  withinMs: 120_000,
  allowance: { ambiguousMoments: 1 },
  async inject({ plant, clients, expect }) {
    const to = 'canary-reader-accepted@example.com';
    plant.smtp.scripts.add(to, { phase: 'dot', after: NEVER, accepts: true }, 1);
    const { key } = await clients.send({ to, atOnce: true });
    const id = await isClaimed(plant, key);
    await eventually(() => plant.smtp.messages.some(({ emailId }) => emailId === id));
    await kill(plant.workers);
    await start(plant.workers);
    expect('the provider had it once when the worker died', acceptedTimes(plant.smtp.messages, id) === 1);
  },
};

export const workerKilledTenTimes: Scenario = {
  id: 'F05',
  fault: 'workers killed -9 ten times in a row with the same email in hand',
  withinMs: 180_000,
  async inject({ plant, clients }) {
    hold(plant.workers, 'postgres');
    const { key } = await clients.send({ atOnce: true });
    await isStored(plant, key);
    for (let death = 0; death < 10; death++) {
      // The job is taken, and the email cannot be read.
      await eventually(async () => (await activeJobs(plant)) > 0, 90_000);
      await kill(plant.workers);
      release(plant.workers, 'postgres');
      await start(plant.workers);
      hold(plant.workers, 'postgres');
    }
    release(plant.workers, 'postgres');
  },
};

export function randomKills(kills: number): Scenario {
  return {
    id: `kills-${kills}`,
    fault: `${kills} processes of any role killed -9 at random`,
    withinMs: 180_000,
    allowance: { ambiguousMoments: 1, failures: 'unknown' },
    async inject({ plant, traffic }) {
      const load = traffic({ sendsPerSecond: 20, hitsPerSecond: 50 });
      for (let count = 0; count < kills; count++) {
        await during(0.5 + Math.random());
        const victim = plant.all[Math.floor(Math.random() * plant.all.length)]!;
        await victim.kill();
        victim.launch();
      }
      await Promise.all(plant.all.map((service) => service.isReady()));
      await load.stop();
    },
  };
}

function acceptedTimes(messages: readonly { emailId: string }[], id: string): number {
  return messages.filter(({ emailId }) => emailId === id).length;
}

function activeJobs(plant: Stage['plant']): Promise<number> {
  return plant.withRedis((redis) => redis.llen(`${QUEUE_PREFIX}:${QUEUES.emails}:active`));
}

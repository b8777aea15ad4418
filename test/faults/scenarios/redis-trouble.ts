import { decodeEntry } from '../../../src/stream/event-codec.js';
import { EVENT_STREAM } from '../../../src/stream/event-stream.js';
import { during } from '../moves.js';
import type { Scenario, Stage } from '../scenario.js';

export function redisRestart(seconds: number): Scenario {
  return {
    id: 'F07',
    fault: `Redis killed -9, and back after ${seconds} s`,
    withinMs: 60_000,
    async inject({ plant, traffic, clients, expect }) {
      const load = traffic();
      await during(1);
      await plant.redis.kill();
      await during(seconds);
      await plant.redis.start();
      await during(1);
      await load.stop();
      expect('every hit was answered', clients.ledger.unansweredHits === 0);
    },
  };
}

export const redisFlushed: Scenario = {
  id: 'F08',
  fault: 'FLUSHALL under load, twice',
  withinMs: 90_000,
  allowance: { ambiguousMoments: 0 },
  async inject({ plant, traffic, clients, note }) {
    const load = traffic({ sendsPerSecond: 30, hitsPerSecond: 80 });
    for (let round = 0; round < 2; round++) {
      await during(1.5);
      for (const id of await flushAll(plant)) clients.ledger.destroyedEvents.add(id);
    }
    await during(1);
    await load.stop();
    note(`${clients.ledger.destroyedEvents.size} events were in the stream alone when it was flushed`);
  },
};

/** Returns the ids of the events that were in the stream at that very moment. */
async function flushAll(plant: Stage['plant']): Promise<string[]> {
  const replies = await plant.withRedis((redis) =>
    redis.multi().xrangeBuffer(EVENT_STREAM, '-', '+').flushall().exec(),
  );
  const entries = (replies?.[0]?.[1] ?? []) as [Buffer, Buffer[]][];
  return entries.flatMap(([, fields]) => decodeEntry(fields[1]!).events.map(({ id }) => id));
}

import { eventually } from '../../support/eventually.js';
import type { SendGridStep } from '../../support/sendgrid-stub.js';
import { during, isStored } from '../moves.js';
import type { Scenario, Stage } from '../scenario.js';

const PAUSE_SECONDS = 5;
/** They look for each other's pauses once a second. */
const SECONDS_UNTIL_ALL_WORKERS_KNOW = 1.5;

export const providerThrottles: Scenario = {
  id: 'F21',
  fault: `the provider answers 429 with a reset ${PAUSE_SECONDS} s ahead`,
  withinMs: 60_000,
  async inject({ plant, clients, expect }) {
    await withSendGrid(plant, async () => {
      const resetAt = Math.ceil(Date.now() / 1_000) + PAUSE_SECONDS;
      const throttled: SendGridStep = { status: 429, headers: { 'x-ratelimit-reset': String(resetAt) }, body: {} };
      plant.sendGrid.scripts.add('*', throttled, 1);
      const sends = [clients.send({ atOnce: true })];
      await eventually(() => plant.sendGrid.requests.some(({ accepted }) => !accepted));
      await during(SECONDS_UNTIL_ALL_WORKERS_KNOW);
      sends.push(...Array.from({ length: 20 }, () => clients.send({ atOnce: true })));
      const ids = await Promise.all((await Promise.all(sends)).map(({ key }) => isStored(plant, key)));
      await eventually(async () => (await attemptsOf(plant, ids)).length === ids.length, 60_000);
      const early = plant.sendGrid.messages.filter(({ at }) => at < resetAt * 1_000);
      expect('nothing reached the provider between the 429 and its reset', early.length === 0);
      expect(
        'no attempt was burned',
        (await attemptsOf(plant, ids)).every((attempts) => attempts === 1),
      );
    });
  },
};

/** Gives the workers another provider for a while. */
async function withSendGrid(plant: Stage['plant'], work: () => Promise<void>): Promise<void> {
  await Promise.all(plant.workers.map((worker) => worker.terminate()));
  await Promise.all(plant.workers.map((worker) => worker.start({ DELIVERY_PROVIDER: 'sendgrid' })));
  try {
    await work();
  } finally {
    plant.sendGrid.scripts.clear();
    await Promise.all(plant.workers.map((worker) => worker.terminate()));
    await Promise.all(plant.workers.map((worker) => worker.start()));
  }
}

/** Attempts of those emails that are sent. */
async function attemptsOf({ database }: Stage['plant'], ids: readonly string[]): Promise<number[]> {
  const rows = await database.query<{ attempts: number }>(
    `select attempts from emails where id = any($1::uuid[]) and status = 'sent'`,
    [ids],
  );
  return rows.map(({ attempts }) => attempts);
}

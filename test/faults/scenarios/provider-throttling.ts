import { eventually } from '../../support/eventually.js';
import { waitSeconds, isStored } from '../actions.js';
import type { Scenario, ScenarioContext } from '../scenario.js';

const PAUSE_SECONDS = 6;
/** Workers check for each other's pauses once a second. */
const SECONDS_UNTIL_ALL_WORKERS_KNOW = 1.2;
const PAUSE_KEY = '{mailbeacon}:provider-pause:sendgrid';

export const providerThrottles: Scenario = {
  id: 'F21',
  fault: `the provider responds 429 with a reset ${PAUSE_SECONDS} s ahead`,
  withinMs: 60_000,
  async inject({ testbed, clients, expect }) {
    const to = 'canary-reader-throttled@example.com';
    const resetAt = Math.ceil(Date.now() / 1_000) + PAUSE_SECONDS;
    const headers = { 'x-ratelimit-reset': String(resetAt) };
    testbed.sendGrid.scripts.add(to, { status: 429, headers, body: {} }, 1);
    const sends = [clients.send({ to, respondAsync: true })];
    await eventually(() => testbed.withRedis((redis) => redis.exists(PAUSE_KEY)).then(Boolean), 30_000);
    await waitSeconds(SECONDS_UNTIL_ALL_WORKERS_KNOW);
    sends.push(...Array.from({ length: 20 }, () => clients.send({ respondAsync: true })));
    const ids = await Promise.all((await Promise.all(sends)).map(({ key }) => isStored(testbed, key)));
    await eventually(async () => (await attemptsOf(testbed, ids)).length === ids.length, 60_000);
    const early = testbed.sendGrid.messages.filter(({ emailId, at }) => ids.includes(emailId) && at < resetAt * 1_000);
    expect('nothing reached the provider between the 429 and its reset', early.length === 0);
    expect(
      'the pause used no attempt',
      (await attemptsOf(testbed, ids)).every((attempts) => attempts === 1),
    );
  },
};

/** The attempts of the sent emails among these. */
async function attemptsOf({ database }: ScenarioContext['testbed'], ids: readonly string[]): Promise<number[]> {
  const rows = await database.query<{ attempts: number }>(
    `select attempts from emails where id = any($1::uuid[]) and status = 'sent'`,
    [ids],
  );
  return rows.map(({ attempts }) => attempts);
}

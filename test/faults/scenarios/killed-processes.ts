import { eventually } from '../../support/eventually.js';
import { EventFeed } from '../feedback/event-feed.js';
import { waitSeconds, hold, isClaimed, isStored, kill, release, start } from '../actions.js';
import type { Scenario, ScenarioContext } from '../scenario.js';

/** How many processes start at a time: twenty at once would test the machine, not the service. */
const MAX_STARTING = 3;
/** On a machine that starts processes more slowly, some are killed during their start. */
const SECONDS_FOR_A_START = 1.5;

export const apiKilledBeforeEnqueue: Scenario = {
  id: 'F01',
  fault: 'API killed -9 between commit and enqueue',
  withinMs: 60_000,
  async inject({ testbed, clients }) {
    // Without responses from Redis, this API stores the email and then waits for the enqueue. The other one continues.
    const victims = testbed.apis.slice(0, 1);
    hold(victims, 'redis');
    const sending = Array.from({ length: 6 }, () => clients.send());
    await Promise.all(clients.history.sends.slice(-6).map(({ key }) => isStored(testbed, key)));
    await kill(victims);
    release(victims, 'redis');
    await start(victims);
    await Promise.all(sending);
  },
};

export const workerKilledBeforeCall: Scenario = {
  id: 'F03',
  fault: 'worker killed -9 after its claim, before the provider got the request',
  withinMs: 120_000,
  async inject({ testbed, clients }) {
    hold(testbed.workers, 'sendGrid');
    const { key } = await clients.send({ respondAsync: true });
    await isClaimed(testbed, key);
    const victim = await eventually(
      () => testbed.workers.find(({ proxies }) => proxies.sendGrid.isHoldingBack),
      30_000,
    );
    await victim.kill();
    release(testbed.workers, 'sendGrid');
    await victim.start();
  },
};

export const workerKilledAfterAcceptance: Scenario = {
  id: 'F04',
  fault: 'worker killed -9 after the provider accepted the email, before its response',
  withinMs: 120_000,
  async inject({ testbed, clients, expect }) {
    const to = 'canary-reader-accepted@example.com';
    testbed.sendGrid.scripts.add(to, { fault: 'silence', accepts: true }, 1);
    const { key } = await clients.send({ to, respondAsync: true });
    const id = await isClaimed(testbed, key);
    await eventually(() => acceptedTimes(testbed, id) > 0, 30_000);
    await kill(testbed.workers);
    expect('the provider had accepted it once when the worker died', acceptedTimes(testbed, id) === 1);
    await start(testbed.workers);
  },
};

export const acceptedAndReported: Scenario = {
  id: 'F04-feed',
  fault: 'worker killed -9 after the provider accepted, which then reports on the email',
  withinMs: 120_000,
  async inject({ testbed, clients, expect }) {
    const to = 'canary-reader-reported@example.com';
    testbed.sendGrid.scripts.add(to, { fault: 'silence', accepts: true }, 1);
    const { key } = await clients.send({ to, respondAsync: true });
    const id = await isClaimed(testbed, key);
    await eventually(() => acceptedTimes(testbed, id) > 0, 30_000);
    await kill(testbed.workers);
    const feed = new EventFeed(() => testbed.apis, testbed.eventWebhookKey);
    const at = Math.floor(Date.now() / 1_000);
    await feed.post([{ email: id, address: to, type: 'delivered', at, text: '250 2.0.0 Ok' }]);
    clients.history.acknowledgedReports = 1;
    await start(testbed.workers);
    expect('the provider had accepted it once when the worker died', acceptedTimes(testbed, id) === 1);
  },
  async verify({ testbed, clients, expect }) {
    const [email] = await testbed.database.query<{ id: string; flagged: boolean; links: number }>(
      `select e.id, e.possible_duplicate as flagged, cardinality(l.urls) as links
         from emails e join email_contents c on c.email_id = e.id left join email_links l on l.email_id = e.id
        where e.organization_id = $1 and e.status = 'sent' and c.to_addresses = array['canary-reader-reported@example.com']`,
      [clients.history.organizationId],
    );
    expect(
      'the report settled the unknown outcome: one copy, no flag, its links',
      email?.flagged === false && email.links > 0,
    );
    expect(
      'the provider had accepted it once in the end',
      email !== undefined && acceptedTimes(testbed, email.id) === 1,
    );
  },
};

export const workerKilledAfterDot: Scenario = {
  id: 'F04-smtp',
  fault: 'worker killed -9 between the final dot and its reply; the next worker delivers through SendGrid',
  withinMs: 120_000,
  async inject({ testbed, clients, expect }) {
    await Promise.all(testbed.workers.map((worker) => worker.terminate()));
    await start(testbed.workers, { DELIVERY_PROVIDER: 'smtp' });
    const to = 'canary-reader-dotted@example.com';
    testbed.smtp.scripts.add(to, { phase: 'dot', fault: 'silence', accepts: true }, 1);
    const { key } = await clients.send({ to, respondAsync: true });
    const id = await isClaimed(testbed, key);
    await eventually(() => testbed.smtp.messages.some(({ emailId }) => emailId === id), 30_000);
    await kill(testbed.workers);
    expect('SendGrid had not accepted it', acceptedTimes(testbed, id) === 0);
    await start(testbed.workers);
  },
};

export const workerKilledTenTimes: Scenario = {
  id: 'F05',
  fault: 'workers killed -9 ten times in a row while they hold the job of the same email',
  withinMs: 180_000,
  async inject({ testbed, clients, note }) {
    await kill(testbed.workers);
    const { key } = await clients.send({ respondAsync: true });
    const id = await isStored(testbed, key);
    // A worker that takes the job waits for this row: it has the job and has not claimed the email.
    await testbed.database.transaction(async (sql) => {
      await sql.query('select from pending_emails where email_id = $1 for update', [id]);
      for (let death = 1; death <= 10; death++) {
        await start(testbed.workers);
        const waiting = await eventually(() => connectionsWaitingForEmail(testbed), 120_000);
        await kill(testbed.workers);
        // Otherwise Postgres would have to notice by itself that their connections are gone.
        await testbed.database.query('select pg_terminate_backend(pid) from unnest($1::integer[]) as pid', [waiting]);
      }
    });
    note('killed 10 times before the claim');
    await start(testbed.workers);
  },
};

export function randomKills(kills: number): Scenario {
  return {
    id: `kills-${kills}`,
    fault: `${kills} processes of any role killed -9 at random`,
    withinMs: 180_000,
    allowance: { failures: 'unknown' },
    async inject({ testbed, startTraffic }) {
      const load = startTraffic({ sendsPerSecond: 5, hitsPerSecond: 12 });
      const starting = new Set<Promise<unknown>>();
      for (let count = 0; count < kills; count++) {
        await waitSeconds(Math.random() / 2);
        if (starting.size >= MAX_STARTING) await Promise.race([waitSeconds(SECONDS_FOR_A_START), ...starting]);
        const victim = testbed.all[Math.floor(Math.random() * testbed.all.length)]!;
        await victim.kill();
        const start: Promise<unknown> = victim.start().finally(() => starting.delete(start));
        starting.add(start);
      }
      await Promise.all(starting);
      await load.stop();
    },
  };
}

function acceptedTimes({ sendGrid }: ScenarioContext['testbed'], id: string): number {
  return sendGrid.messages.filter(({ emailId }) => emailId === id).length;
}

/** The connections whose statement waits for a row of `pending_emails`; undefined if none does. */
async function connectionsWaitingForEmail({ database }: ScenarioContext['testbed']): Promise<number[] | undefined> {
  const rows = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%pending_emails%'`,
  );
  return rows.length > 0 ? rows.map(({ pid }) => pid) : undefined;
}

import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { eventually } from '../../support/eventually.js';
import { EventFeed } from '../feedback/event-feed.js';
import { outcomeOf } from '../feedback/model.js';
import { planReports, planSoftBounces, shuffled, type ReportedRecipient } from '../feedback/plan-reports.js';
import { changesAreDelivered, outcomeMatchesModel, reportsAreStoredOnce } from '../feedback/report-invariants.js';
import type { Report } from '../feedback/report.js';
import { readStoredOutcome } from '../feedback/stored-outcome.js';
import { CANARIES } from '../canaries.js';
import { waitSeconds, kill, start } from '../actions.js';
import type { Scenario, ScenarioContext } from '../scenario.js';

const CALLS = 100;
const CALLS_AT_ONCE = 3;
/** The share of distinct events; the others repeat one of these. */
const DISTINCT_SHARE = 0.7;
/** The pause between calls, so that they last as long as the faults. */
const SECONDS_BETWEEN_CALLS = 0.8;
const SECONDS_WITHOUT_REDIS = 4;
/** Numbers of soft bounces of an address: as many as suppress it, and one fewer. */
const SOFT_BOUNCES = [5, 4, 5, 4];

/**
 * Reports about recipients as SendGrid posts them, some of them repeated in the same call or in later ones, in any
 * order, while every role and Redis are killed in turn.
 * @param emails the number of emails, with one to three recipients each
 */
export function providerEvents(events: number, emails: number, id: string): Scenario {
  /** The reports of each run: two may run at once. */
  const planned = new WeakMap<ScenarioContext['clients'], readonly Report[]>();
  return {
    id,
    fault: `every role killed -9 in turn, then Redis for ${SECONDS_WITHOUT_REDIS} s, during ${events} provider events`,
    withinMs: 180_000,
    allowance: { failures: 'unknown' },
    async inject(context) {
      const { testbed, clients, startTraffic, note } = context;
      const readers = await sendMail(context, emails);
      const soft = readers.filter(({ address }) => address.includes('-soft'));
      const now = Math.floor(Date.now() / 1_000);
      const mixed = readers.filter((reader) => !soft.includes(reader));
      const reports = [
        ...planReports(mixed, Math.round(events * DISTINCT_SHARE) - soft.length, now),
        ...planSoftBounces(soft, now),
      ];
      planned.set(clients, reports);
      const repeats = Array.from({ length: Math.max(0, events - reports.length) }, () => pick(reports));
      const posted = shuffled([...reports, ...repeats]);
      const load = startTraffic({ sendsPerSecond: 3, hitsPerSecond: 10 });
      const feed = new EventFeed(() => testbed.apis, testbed.eventWebhookKey);
      const faults = { areOver: false };
      const feeding = feedAll(feed, posted, faults);
      const breaking = breakEverything(context).finally(() => (faults.areOver = true));
      await Promise.all([feeding, breaking]);
      clients.history.acknowledgedReports = reports.length;
      await load.stop();
      note(
        `${posted.length} events, ${reports.length} distinct, about ${readers.length} recipients; ` +
          `${feed.repeatedCalls} calls had to be repeated`,
      );
    },
    async verify({ testbed, clients, expect, note }) {
      const { organizationId } = clients.history;
      const reports = planned.get(clients) ?? [];
      const stored = await readStoredOutcome(testbed, organizationId);
      const expected = outcomeOf(reports);
      const webhooks = testbed.deliveredWebhooks.of(organizationId, 'whsec_');
      for (const violation of [
        ...reportsAreStoredOnce(reports, stored),
        ...outcomeMatchesModel(expected, stored),
        ...changesAreDelivered(expected, webhooks),
      ]) {
        expect(violation, false);
      }
      const about = webhooks.filter(({ data }) => data['recipient'] !== undefined);
      const webhookCount = new Set(about.map(({ id: webhookId }) => webhookId)).size;
      note(`${stored.reports.length} rows, ${stored.suppressions.length} suppressions, ${webhookCount} webhooks`);
    },
  };
}

/** Resolves with the recipients to report on: those of a single email, and those with soft bounces. */
async function sendMail({ testbed, clients }: ScenarioContext, emails: number): Promise<ReportedRecipient[]> {
  const { name, organizationId } = clients.history;
  const first = clients.history.sends.length;
  await inParallel(
    8,
    Array.from({ length: emails }, (_, index) => index),
    () => clients.send(),
  );
  const runs = SOFT_BOUNCES.flatMap((length, run) =>
    Array.from({ length }, () => `${CANARIES.reader}-soft-${run}-${name.toLowerCase()}@example.com`),
  );
  await inParallel(8, runs, (to) => clients.send({ to }));
  const keys = new Set(clients.history.sends.slice(first).map(({ key }) => key));
  const rows = await testbed.database.query<{ id: string; key: string; mailboxes: string[] }>(
    `select e.id, c.metadata ->> 'sendKey' as key, c.to_addresses || c.cc_addresses || c.bcc_addresses as mailboxes
       from emails e join email_contents c on c.email_id = e.id where e.organization_id = $1 order by e.id`,
    [organizationId],
  );
  return rows
    .filter(({ key }) => keys.has(key))
    .flatMap(({ id, key, mailboxes }) =>
      mailboxes
        .map((mailbox) => mailbox.toLowerCase())
        .filter((address) => address.endsWith(`-${key.toLowerCase()}@example.com`) || address.includes('-soft-'))
        .map((address) => ({ email: id, address })),
    );
}

/** Posts the calls, with pauses until the faults are over. */
async function feedAll(feed: EventFeed, posted: readonly Report[], faults: { areOver: boolean }): Promise<void> {
  const perCall = Math.ceil(posted.length / CALLS);
  const calls = Array.from({ length: CALLS }, (_, call) => posted.slice(call * perCall, (call + 1) * perCall));
  await inParallel(CALLS_AT_ONCE, calls, async (call) => {
    await feed.post(call, noise());
    if (!faults.areOver) await waitSeconds(SECONDS_BETWEEN_CALLS);
  });
}

/** What else a call may contain: an open of an unknown email, and entries that are no events. */
function noise(): unknown[] {
  const known = { email: 'a@example.com', timestamp: Math.floor(Date.now() / 1_000), sg_event_id: 'open' };
  return [{ ...known, event: 'open', mailbeacon_email_id: uuidV7(Date.now()) }, null, { event: 'delivered' }];
}

async function breakEverything({ testbed }: ScenarioContext): Promise<void> {
  await killAmidFlush(testbed);
  for (const services of [testbed.apis, testbed.edges, testbed.workers]) {
    await waitSeconds(1);
    await kill(services);
    await start(services);
  }
  await waitSeconds(1);
  await testbed.redis.kill();
  await waitSeconds(SECONDS_WITHOUT_REDIS);
  await testbed.redis.start();
  await waitSeconds(1);
  // Kills once more while the spool is replayed.
  await kill([...testbed.apis, ...testbed.flushers]);
  await start([...testbed.apis, ...testbed.flushers]);
}

/** A lock delays the commit of a flush until the flusher is dead. */
async function killAmidFlush({ database, flushers }: ScenarioContext['testbed']): Promise<void> {
  await database.transaction(async (sql) => {
    await sql.query('lock table delivery_events in share mode');
    await eventually(async () => (await database.query(WAITING_FLUSHES)).length > 0, 30_000);
    await kill(flushers);
  });
  await start(flushers);
}

const WAITING_FLUSHES = `select from pg_locks where relation = 'delivery_events'::regclass and not granted`;

async function inParallel<Item>(
  lanes: number,
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = [...items];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)]!;
}

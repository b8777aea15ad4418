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
/** Of all events that are posted; the others repeat one of these. */
const DIFFERENT = 0.7;
/** Of one of those at once: the calls outlast most of the faults. */
const SECONDS_BETWEEN_CALLS = 0.8;
const SECONDS_WITHOUT_REDIS = 4;
/** Emails to one address that bounce softly: as many as suppress it, and one fewer. */
const SOFT_RUNS = [5, 4, 5, 4];

/**
 * Reports about recipients as SendGrid posts them, some of them repeated in the same call or in later ones, in any
 * order, while every role and Redis are killed in turn.
 * @param emails with one to three recipients that are reported on
 */
export function providerEvents(events: number, emails: number, id: string): Scenario {
  /** Of each play: two may run at once. */
  const planned = new WeakMap<ScenarioContext['clients'], readonly Report[]>();
  return {
    id,
    fault: `every role killed -9 in turn, then Redis for ${SECONDS_WITHOUT_REDIS} s, amid ${events} provider events`,
    withinMs: 180_000,
    allowance: { failures: 'unknown' },
    async inject(context) {
      const { testbed, clients, startTraffic, note } = context;
      const readers = await sendMail(context, emails);
      const soft = readers.filter(({ address }) => address.includes('-soft'));
      const now = Math.floor(Date.now() / 1_000);
      const mixed = readers.filter((reader) => !soft.includes(reader));
      const reports = [
        ...planReports(mixed, Math.round(events * DIFFERENT) - soft.length, now),
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
        `${posted.length} events, ${reports.length} different, about ${readers.length} recipients; ` +
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

/** Resolves with the recipients that are reported on: those that no other email goes to, and those of soft runs. */
async function sendMail({ testbed, clients }: ScenarioContext, emails: number): Promise<ReportedRecipient[]> {
  const { name, organizationId } = clients.history;
  const first = clients.history.sends.length;
  await inLanes(
    8,
    Array.from({ length: emails }, (_, index) => index),
    () => clients.send(),
  );
  const runs = SOFT_RUNS.flatMap((length, run) =>
    Array.from({ length }, () => `${CANARIES.reader}-soft-${run}-${name.toLowerCase()}@example.com`),
  );
  await inLanes(8, runs, (to) => clients.send({ to }));
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

/** Calls in turn, with pauses until the faults are over. */
async function feedAll(feed: EventFeed, posted: readonly Report[], faults: { areOver: boolean }): Promise<void> {
  const perCall = Math.ceil(posted.length / CALLS);
  const calls = Array.from({ length: CALLS }, (_, call) => posted.slice(call * perCall, (call + 1) * perCall));
  await inLanes(CALLS_AT_ONCE, calls, async (call) => {
    await feed.post(call, noise());
    if (!faults.areOver) await waitSeconds(SECONDS_BETWEEN_CALLS);
  });
}

/** What a call may hold besides: an open, an email that does not exist, and no event at all. */
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
  // Once more, while what waited in the spool is replayed.
  await kill([...testbed.apis, ...testbed.flushers]);
  await start([...testbed.apis, ...testbed.flushers]);
}

/** A lock keeps a flush from its commit until the flusher is dead. */
async function killAmidFlush({ database, flushers }: ScenarioContext['testbed']): Promise<void> {
  await database.transaction(async (sql) => {
    await sql.query('lock table delivery_events in share mode');
    await eventually(async () => (await database.query(WAITING_FLUSHES)).length > 0, 30_000);
    await kill(flushers);
  });
  await start(flushers);
}

const WAITING_FLUSHES = `select from pg_locks where relation = 'delivery_events'::regclass and not granted`;

async function inLanes<Item>(
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

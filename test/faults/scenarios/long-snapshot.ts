import { FEED } from '../../../src/emails/dispatch/feed-statement.js';
import { eventually } from '../../support/eventually.js';
import { pagesRead } from '../../support/pages-read.js';
import { waitSeconds } from '../actions.js';
import type { Testbed } from '../testbed/testbed.js';
import type { Scenario } from '../scenario.js';

type Sender = Awaited<ReturnType<Testbed['createOrganization']>>;

const PAIRS_TIMED = 150;
const DEAD_PER_ROUND = 10_000;
/** The maximum factor between the median times of sends. */
const FACTOR = 1.3;
/** Pages of 8 KB that a feeding round may read. A thousand dead rows fill some tens of pages. */
const PAGES_OF_A_ROUND = 300;
/** The lower bounds of the index scans lag by 20 s. */
const LAG_MS = 60_000;

/**
 * A transaction holds a snapshot, as pg_dump does, so that vacuum cannot remove the rows of many finished emails. The
 * scenario creates these rows as the service does, only faster, for one organization. Then this organization and one
 * without dead rows send in turns, so that other work on the machine slows both down.
 */
export function longSnapshot(emails: number, id: string): Scenario {
  return {
    id,
    fault: `a snapshot held while ${emails.toLocaleString('en')} emails come and go`,
    withinMs: 90_000,
    async inject({ testbed, startTraffic, expect, note }) {
      const beside = await testbed.createOrganization('Beside dead rows');
      const apart = await testbed.createOrganization('Without dead rows');
      const before = await sendInTurns(testbed, beside, apart);
      await testbed.database.transaction(async (sql) => {
        await sql.query(`set local idle_in_transaction_session_timeout = 0`);
        await sql.query('set transaction isolation level repeatable read');
        await sql.query('select from emails limit 1');
        for (let made = 0; made < emails; made += DEAD_PER_ROUND) await createDeadRows(testbed, beside.id);
        const load = startTraffic();
        await waitSeconds(5);
        await load.stop();
        const after = await sendInTurns(testbed, beside, apart);
        note(`half of the sends took ${before} before, ${after} beside the dead rows (ms, with and without)`);
        expect(`sends are at most ${FACTOR} times slower`, after.factor < FACTOR);
        await testbed.database.query('analyze pending_emails');
        const pages = await pagesOfARound(testbed);
        note(`a feeding round reads ${pages} pages`);
        expect(`a feeding round reads ${PAGES_OF_A_ROUND} pages at most`, pages <= PAGES_OF_A_ROUND);
      });
    },
  };
}

/** Creates emails that are dispatched and finish at once. */
async function createDeadRows({ database }: Testbed, organizationId: string): Promise<void> {
  const rows = await database.query<{ id: string }>(
    `with made as (
       insert into emails (id, tracking_id, organization_id, contact_ids, status, created_at)
       select gen_random_uuid(), 'gone-' || gen_random_uuid(), $1, '{}', 'sent', now() from generate_series(1, $2::int)
       returning id, organization_id
     )
     insert into pending_emails (email_id, organization_id, dispatched_at, place)
     select made.id, organization_id, clock_timestamp(), front from made, dispatch_window returning email_id as id`,
    [organizationId, DEAD_PER_ROUND],
  );
  await database.query('delete from pending_emails where email_id = any($1::uuid[])', [rows.map(({ id }) => id)]);
}

/** Median times of the sends of two organizations, in milliseconds. */
class Medians {
  constructor(
    private readonly beside: number,
    private readonly apart: number,
  ) {}

  get factor(): number {
    return this.beside / this.apart;
  }

  toString(): string {
    return `${this.beside.toFixed(1)}/${this.apart.toFixed(1)}`;
  }
}

/** Sends in pairs. Each organization is first in half of them. */
async function sendInTurns(testbed: Testbed, beside: Sender, apart: Sender): Promise<Medians> {
  const took = new Map<Sender, number[]>([beside, apart].map((sender) => [sender, []]));
  for (let pair = 0; pair < PAIRS_TIMED; pair++) {
    const turns = pair % 2 === 0 ? [beside, apart] : [apart, beside];
    for (const sender of turns) took.get(sender)!.push(await timeOfSend(testbed, sender.apiKey));
  }
  return new Medians(median(took.get(beside)!), median(took.get(apart)!));
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

async function timeOfSend({ apis }: Testbed, apiKey: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${apis[0]!.address}/api/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey, prefer: 'respond-async' },
    body: JSON.stringify({ from: 'a@acme.example', to: 's@example.com', subject: 'S', htmlContent: '<p>x</p>' }),
  });
  await response.arrayBuffer();
  return performance.now() - startedAt;
}

/**
 * Resolves with the pages that a feeding round reads once the bounds have passed the dead rows, or with the latest
 * number if they never do.
 */
async function pagesOfARound({ database }: Testbed): Promise<number> {
  let pages = Infinity;
  const measure = async () => {
    pages = await pagesOfFeed(database);
    return pages <= PAGES_OF_A_ROUND || undefined;
  };
  await eventually(measure, LAG_MS).catch(() => undefined);
  return pages;
}

async function pagesOfFeed(database: Testbed['database']): Promise<number> {
  const rollback = new Error('rollback');
  let pages = Infinity;
  const round = database.transaction(async (sql) => {
    await sql.query(QUEUE_ONE_AGAIN);
    const [current] = await sql.query<{ epoch: string }>('select epoch from dispatch_window');
    pages = await pagesRead(sql, FEED, [100, current!.epoch, 1_000]);
    throw rollback;
  });
  await round.catch((error: unknown) => {
    if (error !== rollback) throw error;
  });
  return pages;
}

/** Queues a finished email again: without one, a round has nothing to feed. */
const QUEUE_ONE_AGAIN = `
insert into pending_emails (email_id, organization_id)
select id, organization_id from emails where tracking_id like 'gone-%' limit 1`;

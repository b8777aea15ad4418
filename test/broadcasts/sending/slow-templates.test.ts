import { randomBytes } from 'node:crypto';
import { BroadcastStep } from '../../../src/broadcasts/sending/broadcast-step.js';
import { BroadcastSteps } from '../../../src/broadcasts/sending/broadcast-steps.js';
import { BroadcastSubjects } from '../../../src/broadcasts/sending/broadcast-subjects.js';
import { BroadcastEmails } from '../../../src/broadcasts/sending/make-emails.js';
import { Senders } from '../../../src/emails/accept/sender.js';
import { SigningKeys } from '../../../src/links/signing-keys.js';
import type { SubjectsRequest } from '../../../src/rendering/personalize/message-tasks.js';
import { RenderingPool } from '../../../src/rendering/rendering-pool.js';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { HOSTILE_TEMPLATES } from '../../rendering/hostile-templates.js';
import { insertOrganization } from '../../support/backlog.js';
import { CapturedLog } from '../../support/captured-log.js';
import { eventually } from '../../support/eventually.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { noSingleSends } from '../../support/single-sends.js';

/** Documents of the hostile organization that wait to be rendered, for two seconds of a thread each. */
const STUCK = 20;

let opened: OpenTestDatabase;
let log: CapturedLog;
beforeEach(async () => {
  opened = await openTestDatabase(3);
  log = new CapturedLog('warn', ['worker']);
});
afterEach(() => opened?.close());

/** @returns the ID of a broadcast that is due, to these recipients */
async function insertBroadcast(organizationId: string, ...names: string[]): Promise<string> {
  const [row] = await opened.database.query<{ id: string }>(
    `with campaign as (
       insert into campaigns (id, organization_id, name) values (gen_random_uuid(), $1, gen_random_uuid()::text) returning id
     ), message as (
       insert into messages (id, organization_id, subject, html) values (gen_random_uuid(), $1, 'Hi {{ name }}', 'x')
       returning id
     ), broadcast as (
       insert into broadcasts (id, organization_id, campaign_id, message_id, name, sender, status, recipients, started_at, step_at)
       select gen_random_uuid(), $1, campaign.id, message.id, 'Spring', 'ada@acme.example', 'sending',
              cardinality($2::text[]), now(), clock_timestamp()
         from campaign, message returning id
     ), recipient as (
       insert into broadcast_recipients (broadcast_id, address_key, address, place, variables)
       select broadcast.id, name || '@example.com', name || '@example.com', number, json_build_object('name', name)
         from broadcast, unnest($2::text[]) with ordinality as r (name, number)
     )
     select id from broadcast`,
    [organizationId, names],
  );
  return row!.id;
}

async function subjectsOf(broadcastId: string): Promise<string[]> {
  const rows = await opened.database.query<{ subject: string }>(
    `select c.to_addresses[1] || ': ' || c.subject as subject from emails e join email_contents c on c.email_id = e.id
      where e.broadcast_id = $1 order by 1`,
    [broadcastId],
  );
  return rows.map(({ subject }) => subject);
}

function stepsWith(pool: Pick<RenderingPool, 'renderSubjects'>): BroadcastSteps {
  const { database } = opened;
  const keys = { current: new SigningKeys([{ id: 1, secret: randomBytes(32) }]) };
  const senders = new Senders({ PLATFORM_SENDING_DOMAIN: 'platform.test' } as never);
  const subjects = new BroadcastSubjects(pool as RenderingPool, database, systemClock);
  const emails = new BroadcastEmails(senders, keys as never, systemClock);
  const spending = { correct: () => undefined };
  const budget = { take: (_owner: object, wanted: number) => Promise.resolve({ emails: wanted, spending }) };
  const ignored = { count: () => undefined, report: () => undefined } as never;
  const step = new BroadcastStep(emails, subjects, budget as never, noSingleSends);
  return new BroadcastSteps(database, step, subjects, ignored, ignored, log.logger);
}

it('an organization whose documents fill its line of the rendering threads holds up no broadcast of others', async () => {
  const pool = new RenderingPool({ maxThreads: 2 });
  const hostile = await insertOrganization(opened.database);
  let hasGone = false;
  let ended = 0;
  const html = HOSTILE_TEMPLATES['an array inside itself']!.html;
  const stuck = Array.from({ length: STUCK }, () =>
    pool
      .renderMessage(
        { source: { subject: 's', html, text: null }, variables: {}, now: 0 },
        { organizationId: hostile, mayBeRefused: false, hasGone: () => hasGone },
      )
      .catch(() => ended++),
  );
  const held = [await insertBroadcast(hostile, 'Eve'), await insertBroadcast(hostile, 'Eve')];
  const other = await insertBroadcast(await insertOrganization(opened.database), 'Ada', 'Bob');
  const steps = stepsWith(pool);
  for (let step = 0; step < 3; step++) await steps.next();
  expect(await subjectsOf(other)).toEqual(['Ada@example.com: Hi Ada', 'Bob@example.com: Hi Bob']);
  expect(await Promise.all(held.map(subjectsOf))).toEqual([[], []]);
  expect(ended).toBeLessThan(STUCK / 2);
  expect(log.text).toBe('');
  hasGone = true;
  await Promise.all(stuck);
  await opened.database.query('update broadcasts set step_at = now() where id = $1', [held[0]]);
  await eventually(async () => {
    await steps.next();
    return (await subjectsOf(held[0]!)).includes('Eve@example.com: Hi Eve');
  });
  await pool.close();
});

/** Lets a test act while subjects are rendered. */
function poolThat(act: () => Promise<unknown>): Pick<RenderingPool, 'renderSubjects'> {
  return {
    renderSubjects: async ({ variables }: SubjectsRequest) => {
      await act();
      return variables.map(({ name }) => `Hi ${String(name)}`);
    },
  };
}

it('a broadcast can be paused while its subjects are rendered, and then gets no emails', async () => {
  const id = await insertBroadcast(await insertOrganization(opened.database), 'Ada');
  const pause = () =>
    opened.database.transaction(async (sql) => {
      await sql.query(`set local lock_timeout = '2 s'`);
      await sql.query(`update broadcasts set status = 'paused', step_at = now() where id = $1`, [id]);
    });
  await stepsWith(poolThat(pause)).next();
  expect(log.text).toBe('');
  expect(await subjectsOf(id)).toEqual([]);
  expect(await opened.database.query('select status, step_at from broadcasts')).toEqual([
    { status: 'paused', step_at: null },
  ]);
});

it('each recipient gets its own subject, even if another one is erased while they are rendered', async () => {
  const id = await insertBroadcast(await insertOrganization(opened.database), 'Ada', 'Bob', 'Cem');
  const erase = () =>
    opened.database.query(
      `with gone as (delete from broadcast_recipients where address = 'Ada@example.com')
       update broadcasts set recipients = recipients - 1`,
    );
  await stepsWith(poolThat(erase)).next();
  expect(await subjectsOf(id)).toEqual(['Bob@example.com: Hi Bob', 'Cem@example.com: Hi Cem']);
});

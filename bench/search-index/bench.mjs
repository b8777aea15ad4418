import console from 'node:console';
import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { uuidV7 } from '../../dist/platform/clock/uuid-v7.js';
import { Database } from '../../dist/platform/database/database.js';
import { AcceptedEmails } from '../../dist/emails/accept/accepted-emails.js';
import { flushBatch } from '../../dist/events/ingest/flush-batch.js';
import { openInstallation } from '../size/installation.mjs';
import { quantile } from '../size/measure.mjs';

// npm run bench -- search-index [SCALE]: measures the cost of accepting an email and flushing events with and without
// the tables of the contact search. Both databases are on one server and take turns.
const SCALE = process.argv[3] ?? '0.1';
const ROUNDS = 30;
const EMAILS = 200;
const EVENTS = 5_000;

/** Removes what the search has added to tables that sends and flushes write. */
const WITHOUT_SEARCH = [
  'drop table contact_search',
  `alter table contacts drop constraint contacts_pkey cascade, add constraint contacts_pkey primary key (id)`,
  'drop index contacts_last_activity',
  'create index contacts_last_activity on contacts (organization_id, last_activity_at, id)',
  ...['contact_campaigns', 'contact_emails'].map(
    (table) => `alter table ${table} add constraint ${table}_contact_id_fkey
      foreign key (contact_id) references contacts (id) on delete cascade`,
  ),
];

const installation = await openInstallation();
try {
  const [without, searched] = [await prepare('without'), await prepare('searched')];
  for (const statement of WITHOUT_SEARCH) await without.database.query(statement);
  const work = {
    'accept an email to a new contact': (target) =>
      accept(target, () => `new-${randomBytes(6).toString('hex')}@mail.example`),
    'accept an email to a known contact': (target) =>
      accept(target, (n) => target.addresses[(n * 7919) % target.addresses.length]),
    'flush an open': flush,
  };
  console.log('| Postgres per piece, CPU | without | with | ratio | wall without | wall with | ratio |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const [name, run] of Object.entries(work)) console.log(await compare(name, run, without, searched));
} finally {
  await installation.close();
}

async function prepare(name) {
  console.error(`Seeding: ${name}`);
  const { databaseUrl, seeded } = await installation.seedDatabase(name, SCALE);
  const { Pool } = (await import('pg')).default;
  const pool = new Pool({ connectionString: databaseUrl, max: 1, idleTimeoutMillis: 0 });
  installation.closeFirst(() => pool.end());
  const database = new Database(pool);
  const [{ pid }] = await database.query('select pg_backend_pid() as pid');
  const addresses = await database.query('select address from contacts order by id desc limit 50000');
  const emails = await database.query('select tracking_id from emails order by hashtext(tracking_id) limit 50000');
  return {
    name,
    pid,
    database,
    organizationId: seeded.organizationId,
    addresses: addresses.map(({ address }) => address),
    trackingIds: emails.map((email) => email.tracking_id),
    done: 0,
  };
}

async function compare(name, run, ...targets) {
  const samples = targets.map(() => []);
  for (let round = -5; round < ROUNDS; round++) {
    for (const [index, target] of targets.entries()) {
      const cpuBefore = await cpuMs(target.pid);
      const startedAt = performance.now();
      const pieces = await run(target);
      const wall = performance.now() - startedAt;
      const cpu = (await cpuMs(target.pid)) - cpuBefore;
      if (round >= 0) samples[index].push({ cpu: (cpu * 1000) / pieces, wall: (wall * 1000) / pieces });
    }
  }
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const cpu = samples.map((list) => mean(list.map((sample) => sample.cpu)));
  const wall = samples.map((list) =>
    quantile(
      list.map((sample) => sample.wall),
      0.5,
    ),
  );
  const cells = ([before, after]) =>
    `${before.toFixed(0)} µs | ${after.toFixed(0)} µs | ${(after / before).toFixed(2)}×`;
  return `| ${name} | ${cells(cpu)} | ${cells(wall)} |`;
}

async function accept(target, addressOf) {
  const accepted = new AcceptedEmails(target.name === 'without' ? withoutSearch(target.database) : target.database);
  for (let n = 0; n < EMAILS; n++) {
    const createdAt = new Date();
    await accepted.accept({
      id: uuidV7(createdAt.getTime()),
      trackingId: randomBytes(18).toString('base64url'),
      organizationId: target.organizationId,
      campaignId: null,
      status: 'queued',
      from: 'news@mail.example',
      replyTo: null,
      recipients: { to: [{ address: addressOf(target.done++) }], cc: [], bcc: [] },
      subject: 'News',
      html: '<p>News</p>',
      metadata: null,
      urls: null,
      createdAt,
    });
  }
  return EMAILS;
}

/** The statement that accepts an email, without the part that makes its contacts searchable. */
function withoutSearch(database) {
  const part = /searchable as \(.*?\n\),\n(?=email as)/s;
  return {
    query: (...values) => database.query(...values),
    prepared: (name, sql, values) => {
      if (name === 'accept-email' && !part.test(sql)) throw new Error('The statement has changed');
      return database.prepared(name, sql.replace(part, ''), values);
    },
  };
}

async function flush({ database, trackingIds }) {
  const batch = Array.from({ length: EVENTS }, () => ({
    streamEntryId: '0-1',
    event: {
      type: 'opened',
      id: uuidV7(Date.now()),
      emailTrackingId: trackingIds[Math.floor(Math.random() * trackingIds.length)],
    },
  }));
  await flushBatch(database, batch);
  return EVENTS;
}

/** Processor time of a server process so far, as Linux counts it: in hundredths of a second. */
async function cpuMs(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

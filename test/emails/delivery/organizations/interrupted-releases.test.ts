import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pino } from 'pino';
import { HeldMail } from '../../../../src/emails/delivery/organizations/held-mail.js';
import { HELD_FOR } from '../../../../src/emails/dispatch/parked-email.sql.js';
import type { Database } from '../../../../src/platform/database/database.js';
import { connectForCommands, type RedisConnection } from '../../../../src/platform/redis/connect.js';
import { bundledProgram, type BundledProgram } from '../../../support/bundled-program.js';
import { eventually } from '../../../support/eventually.js';
import { lazyDatabase } from '../../../support/lazy-database.js';
import { findPgBouncer, PgBouncer } from '../../../support/pgbouncer.js';
import { createTestRedis } from '../../../support/services.js';
import { openTestDatabase, type OpenTestDatabase } from '../../../support/test-database.js';
import { addProvider, countReleased, holdMany } from './held-backlog.js';

const EMAILS = 8_000;

let opened: OpenTestDatabase;
let redisUrl: string;
let redis: RedisConnection;
let pauseKey: string;

beforeAll(async () => {
  ({ url: redisUrl } = await createTestRedis());
  redis = connectForCommands(redisUrl);
  await eventually(() => redis.status === 'ready');
});
afterAll(() => redis.disconnect());

beforeEach(async () => {
  await redis.flushdb();
  opened = await openTestDatabase();
  pauseKey = await addProvider(opened.database, await holdMany(opened.database, EMAILS));
  await acceptsMail();
});
afterEach(() => opened.close());

const acceptsMail = () => redis.set(`${pauseKey}:accepts`, 1);
const workerOn = (database: Database): HeldMail => new HeldMail(database, redis, pino({ level: 'silent' }));

/** Lets these workers release mail at the same time, several times each. */
async function releaseAtOnce(...workers: HeldMail[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.release()));
}

/** Sends what is released, as if each email had a job, until none is held. @returns how many were sent */
async function sendAll(): Promise<number> {
  let sent = 0;
  await eventually(async () => {
    await workerOn(opened.database).release();
    const rows = await opened.database.query('delete from pending_emails where due_at <= now() returning 1 as sent');
    expect(rows.length).toBeLessThanOrEqual(5_000);
    sent += rows.length;
    return rows.length === 0;
  });
  return sent;
}

/** Each email has the due time that it had before, or is held once: no release counted twice. */
async function expectEachReleasedOnce(): Promise<void> {
  const [row] = await opened.database.query<{ once: number }>(
    `select count(*) filter (where due_at between before and now() or due_at - ${HELD_FOR} between before and now())::integer as once
       from pending_emails, (select now() - interval '1 day' as before) day`,
  );
  expect(row!.once).toBe(EMAILS);
}

/** A worker is killed at this statement of its release, before or after the commit. */
async function releaseAndDie(program: BundledProgram, statement: number, when: 'before' | 'after'): Promise<void> {
  const worker = spawn(process.execPath, [program.file, opened.url, redisUrl, String(statement), when], {
    stdio: 'ignore',
  });
  const [, signal] = (await once(worker, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
}

describe('A release of held emails', () => {
  it('of several workers at once is one of at most 5,000, and releases none twice', async () => {
    const { database } = opened;
    await releaseAtOnce(...Array.from({ length: 4 }, () => workerOn(database)));
    expect(await countReleased(database)).toBe(5_000);
    await expectEachReleasedOnce();
    expect(await sendAll()).toBe(EMAILS);
  });

  it('goes on after its worker is killed', async () => {
    const program = await bundledProgram(join(import.meta.dirname, 'doomed-release.ts'));
    try {
      await releaseAndDie(program, 2, 'before');
      await eventually(async () => (await countReleased(opened.database)) === 1_000);
      await releaseAndDie(program, 2, 'after');
      await eventually(async () => (await countReleased(opened.database)) === 3_000);
    } finally {
      await program.remove();
    }
    await expectEachReleasedOnce();
    await workerOn(opened.database).release();
    expect(await countReleased(opened.database)).toBe(5_000);
    expect(await sendAll()).toBe(EMAILS);
  });

  it('ends with a single email once Redis has lost what is known of the provider', async () => {
    await redis.flushdb();
    await workerOn(opened.database).release();
    expect(await countReleased(opened.database)).toBe(1);
    await acceptsMail();
    expect(await sendAll()).toBe(EMAILS);
  });
});

const withPgBouncer = findPgBouncer() === undefined ? describe.skip : describe;

withPgBouncer('A release of held emails through PgBouncer in transaction mode', () => {
  it('of several workers at once is one of at most 5,000, and the next one follows', async () => {
    const bouncer = await PgBouncer.before(opened.url, 'transaction', 3);
    const databases = Array.from({ length: 3 }, () => lazyDatabase(bouncer.url, 2, 'transaction'));
    try {
      await releaseAtOnce(...databases.map(workerOn));
      expect(await countReleased(opened.database)).toBe(5_000);
      await expectEachReleasedOnce();
      await opened.database.query('delete from pending_emails where due_at <= now()');
      await releaseAtOnce(...databases.map(workerOn));
      expect(await countReleased(opened.database)).toBe(EMAILS - 5_000);
    } finally {
      await Promise.all(databases.map(({ pool }) => pool.end()));
      await bouncer.stop();
    }
  });
});

import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../../src/platform/database/data-source.js';
import { PendingEmails1790600000000 } from '../../../src/platform/database/migrations/1790600000000-pending-emails.js';
import { createTestDatabase } from '../../support/services.js';

let dataSource: DataSource;
const closers: (() => Promise<unknown>)[] = [];
const migration = new PendingEmails1790600000000();
const organization = randomUUID();

beforeEach(async () => {
  const { url, drop } = await createTestDatabase();
  dataSource = await createDataSource(url, 2).initialize();
  closers.push(
    () => dataSource.destroy(),
    () => drop(),
  );
  await dataSource.query(`insert into organizations (id, name, plan) values ($1, 'Old', 'pro')`, [organization]);
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function run(direction: 'up' | 'down'): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await migration[direction](runner);
  } finally {
    await runner.release();
  }
}

/** As the build before inserts it. */
async function insertOld(status: string, columns: Record<string, unknown> = {}): Promise<string> {
  const id = randomUUID();
  const all = { id, tracking_id: id, organization_id: organization, contact_ids: [], status, ...columns };
  const values = Object.values(all);
  const places = values.map((_, index) => `$${index + 1}`);
  await dataSource.query(`insert into emails (${Object.keys(all).join()}) values (${places.join()})`, values);
  return id;
}

const pending = (id: string) =>
  dataSource
    .query<Record<string, unknown>[]>('select * from pending_emails where email_id = $1', [id])
    .then(([row]) => row);
const email = (id: string) =>
  dataSource.query<Record<string, unknown>[]>('select * from emails where id = $1', [id]).then(([row]) => row);

describe('emails of the build before', () => {
  it('that are not final go on where they are', async () => {
    await run('down');
    const token = randomUUID();
    const due = new Date('2026-01-02T03:04:05.678Z');
    const queued = await insertOld('queued', { next_attempt_at: due, attempts: 3, last_error: 'later', generation: 2 });
    const sending = await insertOld('sending', { lease_token: token, lease_until: due, attempts: 1 });
    const sent = await insertOld('sent', { sent_at: due });
    const tracked = await insertOld('tracked', { sent_at: due });
    await run('up');
    expect(await pending(queued)).toMatchObject({
      organization_id: organization,
      due_at: due,
      attempts: 3,
      last_error: 'later',
      generation: 3,
      dispatched_at: null,
      lease_token: null,
    });
    expect(await pending(sending)).toMatchObject({
      lease_token: token,
      lease_until: due,
      dispatched_at: expect.any(Date),
    });
    expect(await pending(sent)).toBeUndefined();
    expect(await email(tracked)).toMatchObject({ tracked: true });
    // A worker of that build finds nothing due, but may end what it has under way.
    expect(await email(queued)).toMatchObject({ status: 'queued', next_attempt_at: null });
    expect(await email(sending)).toMatchObject({ status: 'sending', lease_token: token });
  });

  it('that its API accepts meanwhile come along', async () => {
    const queued = await insertOld('queued', { next_attempt_at: new Date() });
    expect(await pending(queued)).toMatchObject({ organization_id: organization, dispatched_at: null, attempts: 0 });
    expect(await email(queued)).toMatchObject({ next_attempt_at: null, tracked: false });
    expect(await email(await insertOld('tracked'))).toMatchObject({ tracked: true });
  });

  it('are what it knew once it is back', async () => {
    const queued = await insertOld('queued', { next_attempt_at: new Date() });
    await dataSource.query(`update pending_emails set attempts = 4, due_at = '2026-01-02T03:04:05.678Z'`);
    await run('down');
    expect(await email(queued)).toMatchObject({
      status: 'queued',
      attempts: 4,
      next_attempt_at: new Date('2026-01-02T03:04:05.678Z'),
    });
  });
});

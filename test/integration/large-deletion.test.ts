import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { markDeleted } from '../../src/organizations/deletion/mark-deleted.js';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { eventually } from '../support/eventually.js';
import { fillOrganization } from '../support/full-organization.js';
import { whileLocked } from '../support/held-lock.js';
import { Program } from '../support/program.js';
import { TestService, type TestClient } from '../support/service.js';
import { findInTables } from '../support/find-everywhere.js';

const CONTACTS = 3_000;
/** A batch that waits blocks all batches after it. */
const STOP_AT = 1_500;
const TIMEOUT_MS = 120_000;
/** A batch of emails that waits for a lock. */
const WAITING = `
select 1 as waiting from pg_stat_activity
 where datname = current_database() and wait_event_type = 'Lock' and query like '%delete from emails %'`;

let service: TestService;
let large: TestClient;
let other: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api,tracking,flusher' } });
  [large, other] = [await service.organization('pro', 'Large'), await service.organization('pro', 'Other')];
  await fillOrganization(service.database, large.organizationId, CONTACTS);
});
afterAll(() => service?.stop());

function startWorker(): Program {
  const { BASE_URL, DATABASE_URL, REDIS_URL } = service.settings;
  return Program.start('roles/main.js', {
    ...{ ROLES: 'worker', HOST: '127.0.0.1', PORT: '0', OPERATOR_PORT: '0' },
    ...{ BASE_URL, DATABASE_URL, REDIS_URL, SMTP_URL: service.mailServer.url },
    ENCRYPTION_KEYS: newEncryptionKey('test'),
  });
}

async function countOf(table: string, organizationId: string): Promise<number> {
  const sql = `select count(*)::integer as rows from ${table} where organization_id = $1`;
  const [row] = await service.database.query<{ rows: number }>(sql, [organizationId]);
  return row!.rows;
}

const emailsLeft = (): Promise<number> => countOf('emails', large.organizationId);

/** Sends an email of the other organization and waits until the provider has it. */
async function send(subject: string): Promise<void> {
  const email = { from: 'a@acme.example', to: 'ada@example.com', subject, htmlContent: '<p>x</p>' };
  const { status, body } = await other.post<SendResponse>('/api/send', email, { prefer: 'respond-async' });
  expect(status).toBe(202);
  await eventually(async () => {
    const read = await other.get<{ status: string }>(`/api/emails/${body.emailTrackingId}`);
    return read.body.status === 'sent';
  }, TIMEOUT_MS);
}

describe('The deletion of a large organization', () => {
  it('runs in batches, survives the death of its worker midway, and mail of others is sent meanwhile', async () => {
    const ids = await service.database.query<{ id: string }>(
      'select id from emails where organization_id = $1 order by id',
      [large.organizationId],
    );
    expect(ids.length).toBeGreaterThanOrEqual(CONTACTS);
    await service.database.transaction((sql) => markDeleted(sql, large.organizationId));
    await service.database.query(`update organizations set deleted_at = now() - interval '1 minute' where id = $1`, [
      large.organizationId,
    ]);

    const worker = startWorker();
    let left = 0;
    try {
      await whileLocked(
        service.database,
        (sql) => sql.query('select from emails where id = $1 for update', [ids[STOP_AT]!.id]),
        async () => {
          await eventually(async () => (await service.database.query(WAITING)).length > 0, TIMEOUT_MS);
          await send('While one is deleted');
          left = await emailsLeft();
          worker.signal('SIGKILL');
          await worker.ended();
        },
      );
    } finally {
      await worker.end();
    }
    expect(left).toBeLessThan(ids.length);
    expect(left).toBeGreaterThanOrEqual(ids.length - STOP_AT);
    // The waiting batch ended with its worker.
    expect(await emailsLeft()).toBe(left);

    const second = startWorker();
    try {
      await send('While another worker goes on');
      await eventually(async () => {
        const organizations = await service.database.query('select from organizations where id = $1', [
          large.organizationId,
        ]);
        return organizations.length === 0;
      }, TIMEOUT_MS);
    } finally {
      await second.end();
    }
    const columns = ['audit_entries.organization_id', 'audit_entries.target_id'];
    expect(await findInTables(service.database, [large.organizationId])).toEqual(columns);
    expect(await countOf('emails', other.organizationId)).toBe(2);
    expect(await countOf('contacts', other.organizationId)).toBe(1);
  }, 480_000);
});

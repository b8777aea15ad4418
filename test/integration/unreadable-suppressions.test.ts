import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

let api: TestService;
let client: TestClient;

beforeAll(async () => {
  api = await TestService.start({ environment: { ROLES: 'api' } });
});
beforeEach(async () => {
  client = await api.organization();
});
afterAll(() => api?.stop());

/**
 * Makes every read of the list fail, as on a broken disk. A sequence counts the reads, because no rollback undoes it.
 */
async function breakList(): Promise<void> {
  await api.database.query(`
    alter table suppressions rename to readable_suppressions;
    create sequence readings;
    create function broken_list() returns setof readable_suppressions language plpgsql as $$
      begin
        perform nextval('readings');
        raise exception 'could not read block 0 in file "base/1/2": Input/output error' using errcode = '58030';
      end $$;
    create view suppressions as select * from broken_list()`);
}

async function repairList(): Promise<void> {
  await api.database.query(`
    drop view suppressions; drop function broken_list; drop sequence readings;
    alter table readable_suppressions rename to suppressions`);
}

async function readings(): Promise<number> {
  const [row] = await api.database.query<{ n: number }>('select last_value::int as n from readings');
  return row!.n;
}

function send(to: string): Promise<ApiResponse<SendResponse & { error?: string }>> {
  const email = { from: 'ada@acme.example', to, subject: 'S', htmlContent: '<p>x</p>' };
  return client.post('/api/send', email, { prefer: 'respond-async', 'idempotency-key': to });
}

async function expectUnavailable(response: ApiResponse<{ error?: string }>): Promise<void> {
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('5');
  const [stored] = await api.database.query(
    `select (select count(*)::int from emails where organization_id = $1) as emails,
            (select count(*)::int from idempotency_keys where organization_id = $1) as keys`,
    [client.organizationId],
  );
  expect(stored).toEqual({ emails: 0, keys: 0 });
}

describe('while the suppression list cannot be read', () => {
  // This test comes first, so that no other email is in the queue: it counts the reads for this one.
  it('an accepted email waits, nothing is sent, and afterwards it is sent once', async () => {
    const to = 'waits@example.com';
    const mail = () => api.mailServer.messages.filter(({ recipients }) => recipients.includes(to));
    const { body } = await send(to);
    const detail = async () => (await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`)).body;
    await breakList();
    let worker: TestService | undefined;
    try {
      worker = await TestService.start({ beside: api, environment: { ROLES: 'worker,flusher' } });
      await eventually(async () => (await readings()) >= 2, 30_000);
      expect(mail()).toEqual([]);
      expect(await detail()).toMatchObject({ status: 'queued', attempts: 0 });
      await repairList();
      await eventually(async () => (await detail()).status === 'sent', 30_000);
      expect(mail()).toHaveLength(1);
    } finally {
      await worker?.stop();
    }
  });

  it('a send gets 503 and nothing is stored; the same request is accepted afterwards', async () => {
    await breakList();
    try {
      await expectUnavailable(await send('reader@example.com'));
    } finally {
      await repairList();
    }
    expect((await send('reader@example.com')).status).toBe(202);
  });

  it('a lock on its table that lasts too long has the same effect', async () => {
    await whileLocked(
      api.database,
      (sql) => sql.query('lock table suppressions in access exclusive mode'),
      async () => {
        const response = send('reader@example.com');
        await lockedOut(api.database, 1);
        // Has the effect of a statement timeout.
        await api.database.query(
          `select pg_cancel_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        );
        await expectUnavailable(await response);
      },
    );
    expect((await send('reader@example.com')).status).toBe(202);
  });
});

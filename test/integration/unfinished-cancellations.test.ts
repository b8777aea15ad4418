import { randomUUID } from 'node:crypto';
import {
  cancelOrganizationMail,
  continueCancellation,
  requestCancellation,
} from '../../src/organizations/deletion/cancel-organization-mail.js';
import { resumeSending, suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { expectedCounts, storedCounts } from '../support/counts-of-queue.js';
import { eventually } from '../support/eventually.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { fillMixedQueue } from '../support/mixed-queue.js';
import { Program } from '../support/program.js';
import { TestService, type TestClient } from '../support/service.js';

const TIMEOUT_MS = 120_000;
const SIZES = { emails: 5_003, contacts: 701, campaigns: 3, recipients: 2, unclaimed: true } as const;
const FEW = { emails: 9, contacts: 3, campaigns: 1, recipients: 1, unclaimed: true } as const;
/** One of them is being sent. */
const WITH_ONE_CLAIMED = { emails: 9, contacts: 3, campaigns: 1, recipients: 1 } as const;
const always = (): boolean => true;
/** A batch that waits for a contact. */
const WAITING = `
select 1 as waiting from pg_stat_activity
 where datname = current_database() and wait_event_type = 'Lock' and query like '%from contacts%'`;

let service: TestService;
let client: TestClient;
let organizationId: string;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
beforeEach(async () => {
  // A cancellation that an earlier test left open becomes due again after seconds, and would be continued first.
  await service.database.query('update sending_guards set cancel_step_at = null');
  client = await service.organization();
  ({ organizationId } = client);
});
afterAll(() => service?.stop());

const suspend = (): Promise<void> =>
  service.database.transaction(async (sql) => {
    await suspendOrganization(sql, organizationId, 'It sends spam');
    await requestCancellation(sql, organizationId);
  });
const resume = (): Promise<boolean> => service.database.transaction((sql) => resumeSending(sql, organizationId));
/** Makes the next step due, as after a timeout of the command or the end of a lease. */
const makeDue = (): Promise<unknown> =>
  service.database.query(
    `update sending_guards set cancel_step_at = now() - interval '1 s'
      where cancel_step_at is not null and organization_id = $1`,
    [organizationId],
  );

async function isOpen(): Promise<boolean> {
  const sql = 'select 1 as open from sending_guards where organization_id = $1 and cancel_step_at is not null';
  return (await service.database.query(sql, [organizationId])).length > 0;
}

async function pending(): Promise<number> {
  const sql = 'select count(*)::integer as emails from pending_emails where organization_id = $1';
  return (await service.database.query<{ emails: number }>(sql, [organizationId]))[0]!.emails;
}

describe('A cancellation of all mail of an organization', () => {
  it('is finished exactly by workers if its command is killed midway, and the organization is not resumed before', async () => {
    const queue = await fillMixedQueue(service.database, organizationId, SIZES);
    const { DATABASE_URL } = service.settings;
    const words = ['org', 'suspend', organizationId, '--reason', 'It sends spam', '--cancel'];
    const command = Program.start('cli/main.js', { DATABASE_URL }, ...words);
    try {
      await whileLocked(
        service.database,
        (sql) => sql.query('select from contacts where id = $1 for update', [queue.contactIds[0]]),
        async () => {
          await eventually(async () => (await service.database.query(WAITING)).length > 0, TIMEOUT_MS);
          command.signal('SIGKILL');
          await command.ended();
        },
      );
    } finally {
      await command.end();
    }
    expect(await pending()).toBeGreaterThan(0);
    await expect(resume()).rejects.toThrow('still being canceled');
    await makeDue();
    const worker = await TestService.start({ beside: service, environment: { ROLES: 'worker' } });
    try {
      await eventually(async () => !(await isOpen()), TIMEOUT_MS);
    } finally {
      await worker.stop();
    }
    expect(await storedCounts(service.database, organizationId, queue)).toEqual(expectedCounts(queue));
    expect(await resume()).toBe(true);
  }, 480_000);

  it('waits for mail that is being sent, and cancels what returns to the queue', async () => {
    const queue = await fillMixedQueue(service.database, organizationId, WITH_ONE_CLAIMED);
    await suspend();
    const canceled = await cancelOrganizationMail(service.database, organizationId);
    expect(canceled.emails).toBe(expectedCounts(queue).statuses.canceled);
    expect(await pending()).toBe(1);
    await makeDue();
    expect(await continueCancellation(service.database, always)).toBe(true);
    expect(await pending()).toBe(1);
    await expect(resume()).rejects.toThrow('still being canceled');
    await service.database.query('update pending_emails set lease_token = null, lease_until = null');
    await makeDue();
    expect(await continueCancellation(service.database, always)).toBe(true);
    expect(await pending()).toBe(0);
    expect(await isOpen()).toBe(false);
    expect(await resume()).toBe(true);
  });

  it('finds mail of a request that began before the suspension and waited for a lock longer than the command runs', async () => {
    const email = { from: 'a@acme.example', to: 'b@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    const send = () => client.post('/api/send', email, { prefer: 'respond-async' });
    expect((await send()).status).toBe(202);
    let late: ReturnType<typeof send> | undefined;
    await whileLocked(
      service.database,
      (sql) => sql.query('select from contacts where organization_id = $1 for update', [organizationId]),
      async () => {
        late = send();
        await lockedOut(service.database, 1);
        await suspend();
        // To cancel the first email would wait for the contact, too.
        await service.database.query('delete from pending_emails where organization_id = $1', [organizationId]);
        await cancelOrganizationMail(service.database, organizationId);
      },
    );
    expect((await late)?.status).toBe(202);
    expect(await pending()).toBe(1);
    await expect(resume()).rejects.toThrow('still being canceled');
    expect(await continueCancellation(service.database, always)).toBe(false);
    await makeDue();
    expect(await continueCancellation(service.database, always)).toBe(true);
    expect(await pending()).toBe(0);
    expect(await resume()).toBe(true);
  });

  it('waits for mail of a finished broadcast that is being sent, too', async () => {
    const [messageId, broadcastId] = [randomUUID(), randomUUID()];
    await service.database.query(
      `insert into messages (id, organization_id, subject, html) values ($1, $2, 'S', '<p>x</p>')`,
      [messageId, organizationId],
    );
    await service.database.query(
      `insert into broadcasts (id, organization_id, message_id, name, sender, status)
       values ($1, $2, $3, 'B', 'a@acme.example', 'sent')`,
      [broadcastId, organizationId, messageId],
    );
    await fillMixedQueue(service.database, organizationId, WITH_ONE_CLAIMED, broadcastId);
    await suspend();
    await makeDue();
    expect(await continueCancellation(service.database, always)).toBe(true);
    expect(await pending()).toBe(1);
    expect(await isOpen()).toBe(true);
  });

  it('is left to its command as long as the command runs', async () => {
    await fillMixedQueue(service.database, organizationId, FEW);
    await suspend();
    expect(await continueCancellation(service.database, always)).toBe(false);
    expect(await pending()).toBe(FEW.emails);
    await makeDue();
    expect(await continueCancellation(service.database, always)).toBe(true);
  });

  it('continues in the next run when one has taken long enough', async () => {
    await fillMixedQueue(service.database, organizationId, SIZES);
    await suspend();
    await makeDue();
    const left: number[] = [];
    for (let run = 0; run < 10 && (await isOpen()); run++) {
      await continueCancellation(service.database, () => false);
      left.push(await pending());
    }
    expect(left.length).toBeGreaterThan(2);
    expect(left).toEqual([...new Set(left)].sort((a, b) => b - a));
    expect(left.at(-1)).toBe(0);
  });

  it('ends with the suspension, however the suspension ended', async () => {
    await fillMixedQueue(service.database, organizationId, FEW);
    await suspend();
    await makeDue();
    // An earlier build resumes an organization like this.
    await service.database.query(`update sending_guards set state = 'normal', suspended = false`);
    expect(await continueCancellation(service.database, always)).toBe(false);
    expect(await pending()).toBe(FEW.emails);
  });
});

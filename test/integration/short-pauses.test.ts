import { randomUUID } from 'node:crypto';
import { resumeSending, suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { WORK_KEY } from '../../src/platform/queue/work-notifications.js';
import { connectForCommands } from '../../src/platform/redis/connect.js';
import { insertBacklog } from '../support/backlog.js';
import { BroadcastClient } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

// Without a worker, nothing else dispatches the emails.
beforeAll(async () => void (service = await TestService.start({ environment: { ROLES: 'api' } })));
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

/** Emails with a job, one of which a worker is handing over. */
async function insertDispatched(): Promise<void> {
  await insertBacklog(service.database, client.organizationId, 3, 'now()');
  await service.database.query(
    `update pending_emails set lease_token = $2, lease_until = now() + interval '30 s'
      where email_id = (select email_id from pending_emails where organization_id = $1 limit 1)`,
    [client.organizationId, randomUUID()],
  );
}

/** How many emails the feeder may dispatch again, and how many keep their job. */
async function readEmails(): Promise<{ recalled: number; dispatched: number }> {
  const [counts] = await service.database.query<{ recalled: number; dispatched: number }>(
    `select (count(*) filter (where dispatched_at is null and generation = 1))::integer as recalled,
            (count(*) filter (where dispatched_at is not null and generation = 0))::integer as dispatched
       from pending_emails where organization_id = $1`,
    [client.organizationId],
  );
  return counts!;
}

describe('mail whose jobs found sending paused, and ended, is dispatched again at once', () => {
  it('when its organization is resumed', async () => {
    await insertDispatched();
    await suspendOrganization(service.database, client.organizationId, 'An investigation');
    expect(await readEmails()).toEqual({ recalled: 0, dispatched: 3 });
    await resumeSending(service.database, client.organizationId);
    expect(await readEmails()).toEqual({ recalled: 2, dispatched: 1 });
  });

  it('when its broadcast is resumed before its emails have left the queue', async () => {
    const broadcasts = new BroadcastClient(client);
    const id = await broadcasts.create();
    await broadcasts.add(id, [{ to: 'ada@example.com' }]);
    await broadcasts.move(id, 'send');
    await insertDispatched();
    await service.database.query('update pending_emails set broadcast_id = $2 where organization_id = $1', [
      client.organizationId,
      id,
    ]);
    await service.database.query('update broadcasts set emails = 3 where id = $1', [id]);
    await insertBacklog(service.database, client.organizationId, 1, 'now()');
    await broadcasts.move(id, 'pause');
    expect(await readEmails()).toEqual({ recalled: 0, dispatched: 4 });
    const redis = connectForCommands(service.settings.REDIS_URL!);
    try {
      await eventually(() => redis.status === 'ready');
      await redis.del(WORK_KEY);
      expect((await broadcasts.move(id, 'resume')).status).toBe(200);
      await eventually(async () => (await redis.zscore(WORK_KEY, 'emails')) !== null);
    } finally {
      redis.disconnect();
    }
    expect(await readEmails()).toEqual({ recalled: 2, dispatched: 2 });
  });
});

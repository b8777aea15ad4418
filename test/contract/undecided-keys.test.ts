import { eventually } from '../support/eventually.js';
import { fresh, IdempotentClient, isReplay, statusesAndBodies, storedEmailsTo } from '../support/idempotent-client.js';
import { TestService } from '../support/service.js';

let service: TestService;
let idempotent: IdempotentClient;

beforeAll(async () => {
  service = await TestService.start();
  idempotent = new IdempotentClient(await service.organization());
});
afterAll(() => service?.stop());

const email = {
  from: 'ada@acme.example',
  subject: 'Once',
  htmlContent: '<a href="https://example.com/a">a</a>',
};

const emailsTo = (address: string) => storedEmailsTo(service, address);

/** Runs `work` while Postgres ends every connection that stores the response of this key. */
async function withoutDecisions(key: string, work: () => Promise<void>): Promise<void> {
  await service.database.query(
    `create function shut_down() returns trigger language plpgsql as
       $$ begin raise exception 'terminating connection' using errcode = '57P01'; end $$`,
  );
  await service.database.query(
    `create trigger shut_down before update on idempotency_keys for each row
       when (new.key = '${key}') execute function shut_down()`,
  );
  try {
    await work();
  } finally {
    await service.database.query('drop function shut_down cascade');
  }
}

describe('the first response to a key', () => {
  it('is derived from the email if the process died before storing it', async () => {
    const { key, to } = fresh();
    const first = await idempotent.send(key, { ...email, to });
    const left = `update idempotency_keys set status = null, running_until = now() + interval '1 hour' where key = $1`;
    await service.database.query(left, [key]);
    const responses = await Promise.all([1, 2, 3].map(() => idempotent.send(key, { ...email, to })));
    expect(statusesAndBodies(...responses)).toEqual(statusesAndBodies(first, first, first));
    expect(await emailsTo(to)).toBe(1);
  });

  it('waits for an email that is not in a final state, up to the timeout of its request', async () => {
    const { key, to } = fresh();
    service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '451 Try later' });
    expect((await idempotent.send(key, { ...email, to }, { prefer: 'respond-async' })).status).toBe(202);
    const left = 'update idempotency_keys set status = null, running_until = now() + $2::interval where key = $1';
    await service.database.query(left, [key, '1 hour']);
    expect((await idempotent.send(key, { ...email, to })).status).toBe(409);
    await service.database.query(left, [key, '-1 second']);
    expect((await idempotent.send(key, { ...email, to })).status).toBe(202);
  });

  it('is replayed as soon as the email is sent, when Postgres was down before the response was stored', async () => {
    const { key, to } = fresh();
    let deliver!: () => void;
    const delivered = new Promise<void>((resolve) => (deliver = resolve));
    service.mailServer.scripts.add(to, { phase: 'dot', after: delivered });
    await withoutDecisions(key, async () => {
      const first = idempotent.send(key, { ...email, to });
      await eventually(async () => (await emailsTo(to)) === 1);
      expect((await idempotent.send(key, { ...email, to })).status).toBe(409);
      deliver();
      expect((await first).status).toBe(503);
    });
    const again = await idempotent.send(key, { ...email, to });
    expect([again.status, isReplay(again)]).toEqual([200, true]);
    expect(statusesAndBodies(await idempotent.send(key, { ...email, to }))).toEqual(statusesAndBodies(again));
    expect(service.mailServer.messages.filter(({ recipients }) => recipients.includes(to))).toHaveLength(1);
  });
});

import { newEncryptionKey } from '../../../src/platform/encryption/encryption-keys.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { reportOf } from '../../emails/recipients/reported-mail.js';
import { eventually } from '../../support/eventually.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { Program } from '../../support/program.js';
import { TestService } from '../../support/service.js';
import { respondWith, WebhookReceiver } from '../../support/webhook-receiver.js';
import { ErasureBench } from './erasure-bench.js';

const JANE = 'jane@example.com';
const LEASED = 'select 1 as leased from pending_emails where lease_token is not null';
const LISTED = 'select count(*)::integer as emails from contact_erasure_emails';

let bench: ErasureBench;

afterEach(() => bench?.stop());

/** A promise, and what settles it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const erase = () => bench.client.delete<{ emails: number }>(`/api/contacts/${JANE}`);
const listed = async () => (await bench.service.database.query<{ emails: number }>(LISTED))[0]!.emails;

describe('An erasure that overlaps', () => {
  it('with the delivery of mail to the person: it waits for its end, and nothing comes back', async () => {
    bench = await ErasureBench.start();
    const { opened, open } = gate();
    // The worker has claimed the email, and gets the outcome of the delivery after the erasure.
    bench.service.mailServer.scripts.add(JANE, { phase: 'dot', after: opened, reply: `250 queued for <${JANE}>` }, 1);
    await bench.send({ to: JANE }, { prefer: 'respond-async' });
    await eventually(async () => bench.service.mailServer.received.length === 1);
    expect(await bench.service.database.query(LEASED)).toHaveLength(1);
    const { status, body } = await erase();
    expect([status, body]).toEqual([202, { emails: 1 }]);
    expect(await bench.service.database.query(LEASED)).toHaveLength(1);
    open();
    await bench.erase(JANE);
    const [email] = await bench.service.database.query('select status from emails');
    expect(email).toEqual({ status: 'sent' });
    await eventually(async () => (await bench.find(JANE)).length === 0);
  });

  it('with a worker that is about to claim an email to several: it goes to the others alone', async () => {
    bench = await ErasureBench.start();
    const { opened, open } = gate();
    const { messages, scripts } = bench.service.mailServer;
    // The worker has loaded the email with the address, and has not claimed it.
    scripts.add('bob@example.com', { phase: 'rcpt', after: opened }, 1);
    const { emailTrackingId } = await bench.send({ to: [JANE, 'bob@example.com'] }, { prefer: 'respond-async' });
    await eventually(() => scripts.played === 1);
    expect(await bench.service.database.query(LEASED)).toEqual([]);
    expect(await bench.erase(JANE)).toBe(true);
    expect(messages).toEqual([]);
    open();
    await eventually(async () => (await bench.read(emailTrackingId)).status === 'sent', 40_000);
    expect(bench.service.mailServer.messages.map(({ recipients }) => recipients)).toEqual([['bob@example.com']]);
    expect(bench.service.mailServer.messages[0]!.content.toString('latin1')).not.toContain(JANE);
    await eventually(async () => (await bench.find(JANE)).length === 0);
  });

  it('with the call of a webhook: what its receiver responds brings nothing back', async () => {
    const receiver = await WebhookReceiver.listen();
    try {
      const { opened, open } = gate();
      receiver.respond = (response, { body }) =>
        void opened.then(() => response.writeHead(500).end(body.slice(body.indexOf('"to":'))));
      bench = await ErasureBench.start();
      const { body: webhook } = await bench.client.post<{ id: string }>('/api/webhooks', {
        ...{ url: receiver.url, events: ['EMAIL_SENT'] },
      });
      await bench.send({ to: [JANE, 'bob@example.com'] });
      await eventually(() => receiver.received.length === 1);
      expect(await bench.erase(JANE)).toBe(true);
      open();
      await eventually(() => receiver.received[0]!.status === 500);
      receiver.respond = respondWith(204);
      const delivery = async () => {
        const path = `/api/webhooks/${webhook.id}/deliveries`;
        return (await bench.client.get<{ deliveries: { status: string }[] }>(path)).body.deliveries[0]!.status;
      };
      await eventually(async () => (await delivery()) === 'delivered', 60_000);
      expect(receiver.received.at(-1)!.body).toContain('"to":["erased@erased.invalid","bob@example.com"]');
      expect(await bench.find(JANE)).toEqual([]);
    } finally {
      await receiver.stop();
    }
  });

  it('with events about the person in the stream: they bring nothing back', async () => {
    bench = await ErasureBench.start({ ROLES: 'api,tracking,worker' });
    const { emailTrackingId, pixelUrl } = await bench.send({ to: JANE });
    const { id } = await bench.read(emailTrackingId);
    await bench.service.track(pixelUrl);
    const reason = `550 <${JANE}>`;
    await bench.append(reportOf(id, JANE, 'bounced', { bounce: 'hard', reason }), reportOf(id, 0, 'complained'));
    expect(await bench.erase(JANE)).toBe(true);
    expect(await bench.find(JANE)).not.toEqual([]);
    const flusher = await TestService.start({ beside: bench.service, environment: { ROLES: 'flusher' } });
    try {
      await eventually(async () => (await bench.find(JANE)).length === 0);
    } finally {
      await flusher.stop();
    }
    expect((await bench.client.get(`/api/contacts/${JANE}`)).status).toBe(404);
    expect((await bench.client.get(`/api/suppressions/${JANE}`)).status).toBe(404);
  });

  it('with the death of its worker midway: another one continues where it stopped', async () => {
    bench = await ErasureBench.start({ ROLES: 'api' });
    const { database, settings } = bench.service;
    const ids = await manyEmails(1_200);
    const { status, body } = await erase();
    expect([status, body]).toEqual([202, { emails: 1_200 }]);
    await database.query('delete from pending_emails');

    const worker = Program.start('roles/main.js', {
      ROLES: 'worker',
      HOST: '127.0.0.1',
      PORT: '0',
      OPERATOR_PORT: '0',
      BASE_URL: settings.BASE_URL,
      DATABASE_URL: settings.DATABASE_URL,
      REDIS_URL: settings.REDIS_URL,
      SMTP_URL: bench.service.mailServer.url,
      ENCRYPTION_KEYS: newEncryptionKey('test'),
    });
    try {
      await whileLocked(
        database,
        (sql) => sql.query('select from emails where id = $1 for update', [ids[700]]),
        async () => {
          // The first 500 are done; the second batch waits in the middle.
          await eventually(async () => (await listed()) === 700, 60_000);
          await lockedOut(database, 1);
          worker.signal('SIGKILL');
          await worker.ended();
        },
      );
    } finally {
      await worker.end();
    }
    await eventually(async () => {
      const sql = `select 1 as busy from pg_stat_activity where datname = current_database() and state like 'idle in%'`;
      return (await database.query(sql)).length === 0;
    });
    expect(await listed()).toBe(700);
    expect(await bench.find(JANE)).not.toEqual([]);

    const other = await TestService.start({ beside: bench.service, environment: { ROLES: 'worker' } });
    try {
      await eventually(async () => (await database.query('select from contact_erasures')).length === 0, 60_000);
    } finally {
      await other.stop();
    }
    expect(await bench.find(JANE)).toEqual([]);
  });
});

/** Emails to the person that a worker seems to deliver, so that the request leaves them to the background. */
async function manyEmails(count: number): Promise<string[]> {
  const { database } = bench.service;
  await bench.send({ to: JANE, sendAt: new Date(Date.now() + 86_400_000).toISOString() });
  await bench.service.database.query('delete from pending_emails');
  const ids = Array.from({ length: count - 1 }, (_, n) => uuidV7(Date.now() - 20_000 + n));
  await database.query(
    `with person as (select id from contacts where address_key = $3), made as (
       insert into emails (id, tracking_id, organization_id, contact_ids, status, created_at)
       select id, 'many-' || id, $2, array[(select person.id from person)], 'sent', now() from unnest($1::uuid[]) as id
       returning id
     ), content as (
       insert into email_contents (email_id, sender, to_addresses, subject, html)
       select id, 'a@acme.example', array[$3], 'S', $3 from made
     )
     insert into contact_emails (contact_id, email_id) select person.id, made.id from made, person`,
    [ids, bench.client.organizationId, JANE],
  );
  await database.query(
    `insert into pending_emails (email_id, organization_id, lease_token, lease_until)
     select id, organization_id, gen_random_uuid(), now() + interval '1 hour' from emails`,
  );
  return ids;
}

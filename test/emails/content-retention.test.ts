import { randomUUID } from 'node:crypto';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { ContentRetention } from '../../src/emails/content-retention.js';
import type { Database, Transaction } from '../../src/platform/database/database.js';
import { TestService, type TestClient } from '../support/service.js';
import { silentPace } from '../support/silent-pace.js';

const DAY_MS = 86_400_000;
const DAYS = 7;
/** Distance from the end of the retention, before and after it. */
const HOUR_MS = 3_600_000;

let sinceMs = 0;
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  // The ID of an email contains the time of its acceptance.
  service = await TestService.start({ environment: { ROLES: 'api' }, clock: { now: () => Date.now() - sinceMs } });
  client = await service.organization();
});
afterAll(() => service?.stop());

/** Stores an email that was accepted some time ago. @returns its path */
async function accepted(beforeMs: number, status: 'sent' | 'failed' | 'queued'): Promise<string> {
  sinceMs = beforeMs;
  const attachments = [{ filename: 'a.txt', content: Buffer.from('attached').toString('base64') }];
  const message = { from: 'a@acme.example', to: 'ada@example.com', subject: 'The engine', metadata: { order: 1 } };
  const { body } = await client.post<SendResponse>(
    '/api/send',
    { ...message, htmlContent: '<p>secret</p>', textContent: 'secret', attachments },
    { prefer: 'respond-async' },
  );
  sinceMs = 0;
  const path = `/api/emails/${body.emailTrackingId}`;
  if (status !== 'queued') await end(path, status);
  return path;
}

async function end(path: string, status: 'sent' | 'failed'): Promise<void> {
  const { id } = (await client.get<{ id: string }>(path)).body;
  await service.database.query('delete from pending_emails where email_id = $1', [id]);
  const time = status === 'sent' ? 'sent_at' : 'failed_at';
  await service.database.query(`update emails set status = $2, ${time} = now() where id = $1`, [id, status]);
}

/** The remaining content of an email. */
async function content(path: string) {
  const { id } = (await client.get<{ id: string }>(path)).body;
  const [row] = await service.database.query<{ body: string; attachments: number; subject: string; metadata: object }>(
    `select c.html || coalesce(c.text, '') as body, c.subject, c.metadata,
            (select count(*)::integer from email_attachments a where a.email_id = c.email_id) as attachments
       from email_contents c where c.email_id = $1`,
    [id],
  );
  return row!;
}

/** Makes it the email of a broadcast, whose message is stored apart from the variables of its recipient. */
async function ofBroadcast(path: string): Promise<string> {
  const { id } = (await client.get<{ id: string }>(path)).body;
  const [messageId, broadcastId] = [randomUUID(), randomUUID()];
  await service.database.query(
    `insert into messages (id, organization_id, subject, html) values ($1, $2, 'S', '<p>Hello {{ name }}</p>')`,
    [messageId, client.organizationId],
  );
  await service.database.query(
    `insert into broadcasts (id, organization_id, message_id, name, sender, status)
     values ($1, $2, $3, 'B', 'a@acme.example', 'sent')`,
    [broadcastId, client.organizationId, messageId],
  );
  await service.database.query('update emails set broadcast_id = $2 where id = $1', [id, broadcastId]);
  await service.database.query(
    `update email_contents set html = '', text = null, variables = '{"name": "Ada"}' where email_id = $1`,
    [id],
  );
  return path;
}

/** The statuses of everything that shows the body of an email, and its HTML. */
async function shown(path: string) {
  const get = (part: string) => fetch(`${service.address}${path}/${part}`, { headers: { 'x-api-key': client.apiKey } });
  const [html, ...others] = await Promise.all(['preview', 'preview?part=text', 'click-map'].map(get));
  return { statuses: [html!, ...others].map(({ status }) => status), html: await html!.text() };
}

const run = (days = DAYS, database = service.database) =>
  // It only deletes, so it needs no storage for attachments.
  new ContentRetention(database, { EMAIL_CONTENT_RETENTION_DAYS: days }, silentPace()).dropOldBodies(
    new AbortController().signal,
  );

const kept = {
  body: expect.stringContaining('secret') as unknown,
  attachments: 1,
  subject: 'The engine',
  metadata: { order: 1 },
};
const gone = { ...kept, body: '', attachments: 0 };

describe('EMAIL_CONTENT_RETENTION_DAYS drops bodies', () => {
  it('of emails in a final state this many days after their acceptance, and no sooner', async () => {
    const old = await accepted(DAYS * DAY_MS + HOUR_MS, 'sent');
    const young = await accepted(DAYS * DAY_MS - HOUR_MS, 'sent');
    const waiting = await accepted(DAYS * DAY_MS + HOUR_MS, 'queued');
    const failed = await accepted(DAYS * DAY_MS + HOUR_MS, 'failed');
    await run(0);
    expect(await content(old)).toEqual(kept);
    await run();
    expect(await Promise.all([old, young, waiting, failed].map(content))).toEqual([gone, kept, kept, gone]);
    expect((await client.get(old)).body).toMatchObject({ subject: 'The engine', to: ['ada@example.com'] });

    // An email that was not in a final state at that time loses its body once it is.
    await end(waiting, 'sent');
    await run();
    expect(await content(waiting)).toEqual(gone);
    expect(await content(young)).toEqual(kept);

    // Without a body there is nothing to send.
    const { status, body } = await client.post<{ error: string }>(`${failed}/retry`);
    expect([status, body.error]).toEqual([409, expect.stringMatching(/body/)]);
  });

  it('of an email that is retried while its body is dropped, once it has ended again', async () => {
    const waiting = await accepted(DAYS * DAY_MS + HOUR_MS, 'queued');
    await run();
    await end(waiting, 'failed');
    const { id } = (await client.get<{ id: string }>(waiting)).body;
    const queue =
      'insert into pending_emails (email_id, organization_id) select id, organization_id from emails where id = $1';
    let retried = false;
    const transaction: Database['transaction'] = (work) =>
      service.database.transaction((sql) => {
        const query = async (text: string, values?: unknown[]) => {
          const rows = await sql.query(text, values);
          if (!retried && text.includes('from late_bodies l'))
            retried = (await service.database.query(queue, [id])) !== undefined;
          return rows;
        };
        return work({ ...sql, query } as Transaction);
      });
    await run(DAYS, {
      transaction,
      query: (...given: [string]) => service.database.query(...given),
    } as unknown as Database);
    expect(retried).toBe(true);
    expect(await content(waiting)).toEqual(kept);
    await end(waiting, 'failed');
    await run();
    expect(await content(waiting)).toEqual(gone);
  });

  it('so that nothing shows them any more, or what was never sent instead', async () => {
    const single = await accepted(DAYS * DAY_MS + HOUR_MS, 'sent');
    const personal = await ofBroadcast(await accepted(DAYS * DAY_MS + HOUR_MS, 'sent'));
    const before = [200, 200, 200];
    expect(await shown(single)).toEqual({ statuses: before, html: expect.stringContaining('secret') as string });
    expect(await shown(personal)).toEqual({ statuses: before, html: expect.stringContaining('Hello Ada') as string });
    await run();
    for (const path of [single, personal]) {
      expect(await shown(path)).toEqual({
        statuses: [404, 404, 404],
        html: expect.stringContaining('not found') as string,
      });
    }
  });
});

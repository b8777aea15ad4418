import type { BroadcastView } from '../../src/broadcasts/broadcast-view.js';
import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import { failedByNow, retryFailed } from '../../src/emails/read/retry-failed.js';
import { cancelOrganizationMail } from '../../src/organizations/deletion/cancel-organization-mail.js';
import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
let broadcasts: BroadcastClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { AMBIGUOUS_SEND: 'hold' } });
});
beforeEach(async () => {
  client = await service.organization();
  broadcasts = new BroadcastClient(client);
  service.mailServer.scripts.clear();
});
afterAll(() => service?.stop());

const [{ to: reader }, { to: other }] = people(2) as [{ to: string }, { to: string }];
const refuses = (to: string) => service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '550 5.7.1 Not today' }, 1);
const defers = (to: string) => service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '451 4.7.1 Later' });
const retry = ({ id }: { id: string }) => client.post<{ error?: string }>(`/api/emails/${id}/retry`);
const retryAll = async () => {
  const { database } = service;
  const { organizationId } = client;
  return retryFailed(database, { since: new Date(0), until: await failedByNow(database), organizationId });
};
const progressOf = async (id: string) => (await broadcasts.read(id)).progress;

function emailIn(status: string, to = reader): Promise<EmailSummary> {
  return eventually(async () => {
    const { body } = await client.get<{ emails: EmailSummary[] }>(`/api/emails?status=${status}&recipient=${to}`);
    return body.emails[0];
  });
}

/** Resolves once no worker holds the email and its next attempt meets the condition. */
function waits(email: { id: string }, condition: string): Promise<unknown> {
  return eventually(async () => {
    const sql = `select 1 from pending_emails where email_id = $1 and lease_token is null and ${condition}`;
    return (await service.database.query(sql, [email.id])).length > 0;
  });
}

async function send(recipients: readonly object[], fields: object = {}): Promise<string> {
  const id = await broadcasts.create(fields);
  await broadcasts.add(id, recipients);
  await broadcasts.move(id, 'send');
  return id;
}

/** Sends a broadcast to three people, of which one email fails. */
async function sentButOne(to = reader): Promise<{ id: string; failed: EmailSummary }> {
  refuses(to);
  const id = await send([{ to }, ...people(2, 2)]);
  expect((await broadcasts.settled(id, 'sent')).progress).toMatchObject({ total: 3, sent: 2, failed: 1 });
  return { id, failed: await emailIn('failed', to) };
}

/** A broadcast in progress whose first email failed, with many more recipients than its pace allows at once. */
async function inProgress(): Promise<{ id: string; failed: EmailSummary }> {
  refuses(reader);
  const id = await send(people(50), { pace: 60 });
  return { id, failed: await emailIn('failed') };
}

describe('a retried email of a broadcast', () => {
  it('counts as queued, not as sent, in the progress of a sent broadcast', async () => {
    const { id, failed } = await sentButOne();
    defers(reader);
    expect((await retry(failed)).status).toBe(200);
    await waits(failed, 'attempts > 0');
    expect(await progressOf(id)).toMatchObject({ total: 3, sent: 2, failed: 0, queued: 1, canceled: 0 });
    expect((await broadcasts.read(id)).status).toBe<BroadcastView['status']>('sent');
    expect((await client.post(`/api/emails/${failed.id}/cancel`)).status).toBe(200);
    expect(await progressOf(id)).toMatchObject({ total: 3, sent: 2, failed: 0, queued: 0, canceled: 1 });
  });

  it('counts as sent once it is sent', async () => {
    const { id, failed } = await sentButOne();
    expect(await retryAll()).toEqual({
      retried: 1,
      notRetried: 0,
    });
    await eventually(async () => (await progressOf(id)).sent === 3);
    expect(await progressOf(id)).toMatchObject({ total: 3, sent: 3, failed: 0, queued: 0 });
    expect(await emailIn('sent')).toMatchObject({ id: failed.id });
  });

  it('waits while its broadcast is paused, and is sent when it is resumed', async () => {
    const { id, failed } = await inProgress();
    await broadcasts.move(id, 'pause');
    await eventually(async () => {
      const [row] = await service.database.query<{ step_at: Date | null }>(
        'select step_at from broadcasts where id = $1',
        [id],
      );
      return row!.step_at === null;
    });
    expect((await retry(failed)).status).toBe(200);
    // It has left the queue, so that no worker claims it repeatedly.
    await waits(failed, `due_at > now() + interval '1 year'`);
    expect(await emailIn('queued')).toMatchObject({ id: failed.id });
    expect((await progressOf(id)).failed).toBe(0);
    await broadcasts.move(id, 'resume');
    expect(await emailIn('sent')).toMatchObject({ id: failed.id });
    await broadcasts.move(id, 'cancel');
  });

  it('is canceled with its broadcast', async () => {
    const { id, failed } = await inProgress();
    defers(reader);
    expect((await retry(failed)).status).toBe(200);
    await waits(failed, 'attempts > 0');
    await broadcasts.move(id, 'cancel');
    const { progress } = await broadcasts.settled(id, 'canceled');
    expect(progress).toMatchObject({ failed: 0, sent: 50 - progress.canceled });
    expect(await emailIn('canceled')).toMatchObject({ id: failed.id });
  });

  it('cannot be retried once its broadcast is canceled: 409', async () => {
    const { id, failed } = await inProgress();
    await broadcasts.move(id, 'cancel');
    const { status, body } = await retry(failed);
    expect({ status, error: body.error }).toEqual({
      status: 409,
      error: 'The broadcast of this email is canceled, so the email cannot be retried',
    });
    expect(await retryAll()).toEqual({
      retried: 0,
      notRetried: 1,
    });
    await broadcasts.settled(id, 'canceled');
    expect(await emailIn('failed')).toMatchObject({ id: failed.id });
  });

  it('is canceled with all mail of its organization; if it may have been sent, it fails instead', async () => {
    const { id, failed } = await sentButOne();
    defers(reader);
    await retry(failed);
    await waits(failed, 'attempts > 0');
    const inDoubt = await sentButOne(other);
    defers(other);
    await retry(inDoubt.failed);
    await waits(inDoubt.failed, 'attempts > 0');
    await service.database.query('update pending_emails set possible_duplicate = true where email_id = $1', [
      inDoubt.failed.id,
    ]);
    await suspendOrganization(service.database, client.organizationId, 'It sends spam');
    expect(await cancelOrganizationMail(service.database, client.organizationId)).toEqual({ emails: 1, broadcasts: 0 });
    const [row] = await service.database.query<{ canceled: string[]; statuses: string[] }>(
      `select array(select canceled::integer from broadcasts where id = any($1::uuid[]) order by id) as canceled,
              array(select status from emails where id = any($2::uuid[]) order by id) as statuses`,
      [
        [id, inDoubt.id],
        [failed.id, inDoubt.failed.id],
      ],
    );
    expect(row).toEqual({ canceled: [1, 0], statuses: ['canceled', 'failed'] });
  });

  it('in doubt, of a canceled broadcast, can still be settled as sent, but not resent', async () => {
    service.mailServer.scripts.add(reader, { phase: 'dot', fault: 'drop', accepts: true }, 1);
    const id = await send(people(50), { pace: 60 });
    const doubt = await eventually(
      async () => (await listUnknownOutcomes(service.database, client.organizationId, 10))[0],
    );
    await broadcasts.move(id, 'cancel');
    await broadcasts.settled(id, 'canceled');
    expect(await settleUnknownOutcome(service.database, doubt.id, 'resend', () => [])).toBe(false);
    expect(await settleUnknownOutcome(service.database, doubt.id, 'sent', () => [])).toBe(true);
    expect(await emailIn('sent')).toMatchObject({ id: doubt.id });
  });
});

import { settleUnknownOutcome } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { SmtpStub } from '../support/smtp-stub.js';
import { addOwnProvider, verifyWithoutDns } from '../support/stored-provider.js';

let own: SmtpStub;
let next: SmtpStub;
let service: TestService;
let client: TestClient;
let sequence = 0;
const reader = () => `reader${(sequence += 1)}@example.com`;

beforeAll(async () => {
  [own, next] = await Promise.all([SmtpStub.listen(), SmtpStub.listen()]);
  service = await TestService.start({
    environment: { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', SEND_RESPONSE_TIMEOUT_MS: '0' },
  });
  client = await service.organization();
  await verifyWithoutDns(service, client.organizationId, 'acme.example');
});
beforeEach(async () => {
  await service.database.query('delete from organization_providers');
  await addOwnProvider(service, client.organizationId, { credentials: { url: own.url } });
  const before = own.messages.length;
  await eventually(async () => {
    const { id } = await send();
    // An email that is still on its way would count in the test.
    await eventually(() => isFinal(id));
    return own.messages.length > before;
  });
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([own?.close(), next?.close()]);
});

async function send(to: string | readonly string[] = reader()): Promise<EmailDetail> {
  await client.post('/api/send', { from: 'ada@acme.example', to, subject: 'S', htmlContent: '<p>x</p>' });
  const { body } = await client.get<{ emails: { id: string }[] }>('/api/emails?limit=1');
  return read(body.emails[0]!.id);
}

const read = async (id: string) => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;

const copies = (): number[] => [own, next, service.mailServer].map(({ messages }) => messages.length);

/** Deletes the own provider, perhaps in favor of another one. */
async function replaceOwn(...urls: string[]): Promise<void> {
  await service.database.query('delete from organization_providers');
  for (const url of urls) await addOwnProvider(service, client.organizationId, { credentials: { url } });
}

/** An email whose acceptance by the own provider is unknown: it would be resent in three minutes. */
async function doubt(): Promise<{ id: string; to: string }> {
  const to = reader();
  own.scripts.add(to, { phase: 'dot', fault: 'drop', accepts: true }, 1);
  const { id } = await send(to);
  await waitsAs(id, 'possible_duplicate');
  return { id, to };
}

/** The email waits, after an attempt, in a state for which the condition on its row holds. */
async function waitsAs(id: string, condition: string): Promise<void> {
  await eventually(async () => {
    const sql = `select from pending_emails where email_id = $1 and ${condition} and lease_token is null`;
    return (await service.database.query(sql, [id])).length === 1;
  });
}

const becomeDue = (id: string) =>
  service.database.query(`update pending_emails set due_at = date_trunc('milliseconds', now()) where email_id = $1`, [
    id,
  ]);

const isFinal = async (id: string): Promise<boolean> => ['sent', 'failed'].includes((await read(id)).status);

describe('an email that a provider may have that is deleted', () => {
  it.each([
    ['goes through no other one of the organization', () => [next.url]],
    ['does not go through the service', () => []],
  ])('%s', async (_what, urls) => {
    const { id } = await doubt();
    await replaceOwn(...urls());
    const before = copies();
    await becomeDue(id);
    await eventually(() => isFinal(id));
    expect(await read(id)).toMatchObject({
      status: 'failed',
      lastError:
        'Delivery outcome unknown: the provider that may have it was deleted, or no longer sends mail of its sender',
    });
    expect(copies()).toEqual(before);
  });

  it('is sent again when its organization asks for it', async () => {
    const { id } = await doubt();
    await replaceOwn();
    await becomeDue(id);
    await eventually(() => isFinal(id));
    const [, , before] = copies();
    await client.post(`/api/emails/${id}/retry`);
    await eventually(async () => (await read(id)).status === 'sent');
    expect(await read(id)).toMatchObject({ possibleDuplicate: true });
    expect(copies()[2]).toBe(before! + 1);
  });

  it('is sent again when an operator decides so before it is due', async () => {
    const { id } = await doubt();
    await replaceOwn();
    const [, , before] = copies();
    expect(await settleUnknownOutcome(service.database, id, 'resend', () => [])).toBe(true);
    await eventually(() => isFinal(id));
    expect(await read(id)).toMatchObject({ status: 'sent', possibleDuplicate: true });
    expect(copies()[2]).toBe(before! + 1);
  });

  it('goes through a provider whose credentials were replaced, as that is the same one', async () => {
    const { id } = await doubt();
    const [before] = copies();
    await service.database.query('update organization_providers set version = version + 1');
    await becomeDue(id);
    await eventually(async () => (await read(id)).status === 'sent');
    expect(copies()[0]).toBe(before! + 1);
  });
});

it('does not send the rest of an email through the service if a deleted provider has sent it to others', async () => {
  const deferred = reader();
  own.scripts.add(deferred, { phase: 'rcpt', reply: '451 4.2.1 Later' });
  const { id } = await send([reader(), deferred]);
  await waitsAs(id, 'attempts > 0');
  await replaceOwn();
  const before = copies();
  await becomeDue(id);
  await eventually(async () => (await read(id)).status === 'sent');
  const { recipients } = await read(id);
  expect(recipients.find(({ address }) => address === deferred)).toMatchObject({
    state: 'failed',
    reason: 'The provider that has it for the other recipients was deleted, or no longer sends mail of its sender',
  });
  expect(copies()).toEqual(before);
});

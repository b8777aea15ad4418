import { Mailbeacon } from '../../packages/client/src/index.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { RecordingClient } from './recording-client.js';
import { ScriptedServer } from './scripted-server.js';

let service: TestService;
let organization: TestClient;
let client: Mailbeacon;

beforeAll(async () => {
  service = await TestService.start();
  organization = await service.organization();
  client = new RecordingClient(service, organization);
});
afterAll(async () => service?.stop());

const message = { from: 'ada@acme.example', subject: 'S', htmlContent: '<p>x</p>' };
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** A client that loses the first response. @param until what happens before the client notices */
function losingClient(until: () => Promise<unknown> = async () => undefined): Mailbeacon {
  let requests = 0;
  return new RecordingClient(service, organization, [], {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      requests += 1;
      if (requests > 1) return response;
      expect(response.status).toBe(200);
      await until();
      throw new TypeError('the connection was lost');
    },
  });
}

const isSent = (read: () => Promise<{ status: string }>) => () =>
  eventually(async () => (await read()).status === 'sent');

describe('a call whose response was lost', () => {
  it('archives a campaign', async () => {
    const { id } = await client.campaigns.create({ name: 'Spring sale' });
    expect(await losingClient().campaigns.archive(id)).toEqual({ success: true });
    await expect(client.campaigns.archive(id)).rejects.toMatchObject({ status: 400 });
  });

  it('sends a broadcast, and resumes one, that ends before the repetition', async () => {
    for (const move of ['send', 'resume'] as const) {
      const { id, version } = await client.broadcasts.create({ ...message, name: move });
      await client.broadcasts.addRecipients(id, [{ to: 'reader@example.com' }]);
      if (move === 'resume') {
        await client.broadcasts.change(id, { ...message, name: move, sendAt: inAnHour() });
        await client.broadcasts.send(id);
        await client.broadcasts.pause(id);
        await service.database.query('update broadcasts set send_at = now() where id = $1', [id]);
      }
      const losing = losingClient(isSent(() => client.broadcasts.get(id)));
      const sent = move === 'send' ? losing.broadcasts.send(id, { version }) : losing.broadcasts.resume(id);
      expect(await sent).toMatchObject({ id, status: 'sent' });
    }
  });

  it('sends no other version of a broadcast than that of the call', async () => {
    const { id, version } = await client.broadcasts.create({ ...message, name: 'Spring sale' });
    await client.broadcasts.addRecipients(id, [{ to: 'reader@example.com' }]);
    const sentByOthers = async () => {
      await client.broadcasts.change(id, { ...message, name: 'Autumn sale' });
      await client.broadcasts.send(id);
      await isSent(() => client.broadcasts.get(id))();
      throw new TypeError('the connection was lost');
    };
    let requests = 0;
    const losing = new RecordingClient(service, organization, [], {
      fetch: (url, init) => (++requests === 1 ? sentByOthers() : fetch(url, init)),
    });
    await expect(losing.broadcasts.send(id, { version })).rejects.toMatchObject({ status: 409 });
    expect(await client.broadcasts.get(id)).toMatchObject({ name: 'Autumn sale', status: 'sent' });
  });

  it('changes a version of a draft once', async () => {
    const { id, version } = await client.broadcasts.create({ ...message, name: 'Spring sale' });
    const change = { ...message, name: 'Autumn sale', version };
    const changed = await losingClient().broadcasts.change(id, change);
    expect(changed).toMatchObject({ name: 'Autumn sale', version: (await client.broadcasts.get(id)).version });
    await expect(client.broadcasts.change(id, { ...change, name: 'Winter sale' })).rejects.toMatchObject({
      status: 409,
    });
  });

  it('reschedules an email that leaves before the repetition', async () => {
    for (const sendAt of [() => new Date(0), () => new Date(Date.now() + 500)]) {
      const { emailTrackingId: id } = await client.emails.send({
        ...message,
        to: 'reader@example.com',
        sendAt: inAnHour(),
      });
      const losing = losingClient(isSent(() => client.emails.get(id)));
      const body = { sendAt: sendAt().toISOString() };
      expect(await losing.emails.reschedule(id, body)).toMatchObject({ trackingId: id, status: 'sent' });
    }
  });

  it('revokes the key of the client itself, but believes no refusal about another key', async () => {
    const server = await ScriptedServer.listen();
    try {
      const own = new Mailbeacon({ url: server.address, apiKey: `mb_Own-12345678_${'s'.repeat(32)}` });
      server.play({ breaks: 'before' }, { status: 401 });
      expect(await own.keys.revoke('Own-12345678')).toBeUndefined();
      server.play({ breaks: 'before' }, { status: 401 });
      await expect(own.keys.revoke('Another-1234')).rejects.toMatchObject({ status: 401 });
      server.play({ status: 401 });
      await expect(own.keys.revoke('Own-12345678')).rejects.toMatchObject({ status: 401 });
    } finally {
      await server.close();
    }
  });

  it('still fails if the refusal has another reason', async () => {
    const server = await ScriptedServer.listen();
    try {
      const { campaigns, broadcasts, emails } = new Mailbeacon({ url: server.address });
      const refused = async (call: () => Promise<unknown>, status: number, found: object): Promise<void> => {
        server.play({ breaks: 'before' }, { status }, { body: JSON.stringify(found) });
        await expect(call()).rejects.toMatchObject({ status });
        expect(server.received).toHaveLength(3);
      };
      const canceled = { status: 'canceled', sendAt: '2026-05-04T08:00:00.000Z' };
      await refused(() => campaigns.archive('c'), 400, { archivedAt: null });
      await refused(() => broadcasts.send('b'), 409, canceled);
      await refused(() => broadcasts.resume('b'), 409, canceled);
      await refused(() => emails.reschedule('e', { sendAt: inAnHour() }), 409, { ...canceled, status: 'sent' });
      await refused(() => emails.reschedule('e', { sendAt: new Date(0).toISOString() }), 409, canceled);
    } finally {
      await server.close();
    }
  });
});

import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/** Without a report by a worker, the API queries Postgres after this time. The tests time out sooner. */
const RECHECK_AFTER_MS = '120000';
const REPORTED_WITHIN_MS = 30_000;

let api: TestService;
let worker: TestService;
let cable: TcpProxy;
let client: TestClient;

beforeAll(async () => {
  const environment = { ROLES: 'api,flusher', SEND_RESPONSE_TIMEOUT_MS: RECHECK_AFTER_MS };
  api = await TestService.start({ environment });
  cable = await TcpProxy.before(new URL(api.settings.DATABASE_URL));
  const settings = { ...api.settings, DATABASE_URL: cable.through(api.settings.DATABASE_URL) };
  const beside = { settings, mailServer: api.mailServer };
  worker = await TestService.start({ beside, environment: { ROLES: 'worker' } });
  client = await api.organization();
});
afterAll(async () => {
  await worker?.stop();
  await api?.stop();
  await cable?.goDown();
});

/** Sends an email without waiting for the response. */
function send(to: string): Promise<{ status: number }> {
  return client.post('/api/send', { from: 'a@acme.example', to, subject: 'S', htmlContent: '<p>Hello</p>' });
}

/** Sends an email while the connection of the worker breaks after it sent this text and before Postgres replied. */
async function sendAndCutAfter(pattern: string, to: string): Promise<{ httpStatus: number; status: string }> {
  const cut = cable.cutAfter(pattern);
  let httpStatus: number | undefined;
  void send(to).then((response) => (httpStatus = response.status));
  await cut;
  await eventually(() => httpStatus !== undefined, REPORTED_WITHIN_MS);
  const { body } = await client.get<{ emails: { status: string }[] }>(`/api/emails?recipient=${to}`);
  return { httpStatus: httpStatus!, status: body.emails[0]!.status };
}

describe('an email whose final status Postgres committed and could not confirm', () => {
  it('is reported as sent to the waiting client and to the event stream', async () => {
    expect(await sendAndCutAfter('mark-sent', 'sent@example.com')).toEqual({ httpStatus: 200, status: 'sent' });
    const stored = () => api.database.query<{ type: string }>(`select type from events where type = 'sent'`);
    expect(await eventually(async () => (await stored()).length > 0 && stored())).toHaveLength(1);
    expect(api.mailServer.messages).toHaveLength(1);
  });

  it('is reported as failed to the waiting client', async () => {
    api.mailServer.scripts.add('failed@example.com', { phase: 'rcpt', reply: '550 5.1.1 No such user' }, 1);
    expect(await sendAndCutAfter('commit', 'failed@example.com')).toEqual({ httpStatus: 500, status: 'failed' });
  });
});

it('an email that the provider accepts while Postgres is away was sent then, and not when it is back', async () => {
  const to = 'accepted@example.com';
  let accept!: () => void;
  api.mailServer.scripts.add(to, { phase: 'dot', after: new Promise<void>((resolve) => (accept = resolve)) }, 1);
  const response = send(to);
  await eventually(() => api.mailServer.received.some(({ recipients }) => recipients.includes(to)));
  cable.hold();
  const recording = cable.cutAfter('mark-sent');
  accept();
  await recording;
  const knownBy = Date.now();
  // Postgres never gets the statement, so the worker repeats it.
  cable.cut();
  cable.release();
  expect((await response).status).toBe(200);
  const [row] = await api.database.query<{ sentAt: Date }>(
    `select e.sent_at as "sentAt" from emails e join email_contents c on c.email_id = e.id where $1 = any(c.to_addresses)`,
    [to],
  );
  expect(row!.sentAt.getTime()).toBeLessThanOrEqual(knownBy);
});

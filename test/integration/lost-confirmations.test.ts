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

/** Sends an email while the connection of the worker breaks after it sent this text and before Postgres replied. */
async function sendAndCutAfter(pattern: string, to: string): Promise<{ httpStatus: number; status: string }> {
  const cut = cable.cutAfter(pattern);
  let httpStatus: number | undefined;
  const email = { from: 'a@acme.example', to, subject: 'S', htmlContent: '<p>Hello</p>' };
  void client.post('/api/send', email).then((response) => (httpStatus = response.status));
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

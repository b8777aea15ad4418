import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { sendGridError, SendGridStub } from '../support/sendgrid-stub.js';
import { TestService } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { throughSendGrid } from '../support/through-sendgrid.js';

let sendGrid: SendGridStub;
let api: TestService;
let worker: TestService;
let cable: TcpProxy;

beforeAll(async () => {
  sendGrid = await SendGridStub.listen();
  const environment = throughSendGrid(sendGrid);
  api = await TestService.start({ environment: { ...environment, ROLES: 'api' } });
  cable = await TcpProxy.before(new URL(api.settings.DATABASE_URL));
  const settings = { ...api.settings, DATABASE_URL: cable.through(api.settings.DATABASE_URL) };
  const beside = { settings, mailServer: api.mailServer };
  worker = await TestService.start({
    beside,
    environment: { ...environment, ROLES: 'worker', AMBIGUOUS_RESEND_AFTER_MS: '500' },
  });
});
afterAll(async () => {
  await worker?.stop();
  await api?.stop();
  await cable?.goDown();
  await sendGrid?.close();
});

it('the emails of a call that SendGrid refused while Postgres was away have no unknown outcome', async () => {
  let refuse!: () => void;
  const after = new Promise<void>((resolve) => (refuse = resolve));
  sendGrid.scripts.add('*', { ...sendGridError(400, 'Does not contain a valid address.', 'to'), after }, 1);
  const broadcasts = new BroadcastClient(await api.organization());
  const id = await broadcasts.create();
  await broadcasts.add(id, people(20));
  await broadcasts.move(id, 'send');
  await eventually(() => sendGrid.requests.length > 0);
  cable.hold();
  const recording = cable.cutAfter('attempts = attempts - 1, dispatched_at = now()');
  refuse();
  await recording;
  // Postgres never gets the statement.
  cable.cut();
  cable.release();
  expect(await broadcasts.settled(id, 'sent')).toMatchObject({ progress: { sent: 20 } });
  const emails = await api.database.query(
    'select attempts, possible_duplicate, count(*)::integer as emails from emails where broadcast_id = $1 group by 1, 2',
    [id],
  );
  expect(emails).toEqual([{ attempts: 1, possible_duplicate: false, emails: 20 }]);
});

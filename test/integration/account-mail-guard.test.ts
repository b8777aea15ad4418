import { Browser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { newUser, signedIn } from '../support/people.js';
import { TestGuards } from '../support/sending-guards.js';
import { TestService, type TestClient } from '../support/service.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';

const POSTMASTER = '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77';
const INVITED = ['one@nowhere.example', 'two@nowhere.example', 'three@nowhere.example'];

const key = new EventWebhookKey();
let service: TestService;
let guards: TestGuards;
let postmaster: TestClient;

beforeAll(async () => {
  service = await TestService.start({
    environment: {
      USER_MAIL_ORGANIZATION: POSTMASTER,
      SENDGRID_EVENT_PUBLIC_KEY: key.publicKey,
      GUARD_MIN_SENT: '3',
    },
  });
  guards = TestGuards.beside(service);
  await service.database.query("insert into organizations (id, name, plan) values ($1, 'Operator', 'pro')", [
    POSTMASTER,
  ]);
  postmaster = service.client(POSTMASTER, '');
});
afterAll(async () => {
  await guards?.stop();
  await service?.stop();
});

const mailTo = (address: string) => service.mailServer.messages.some(({ recipients }) => recipients.includes(address));

it('owners who invite addresses that bounce and complain do not stop links for forgotten passwords of others', async () => {
  const hostile = await service.organization();
  const owner = await signedIn(service, await newUser(service, hostile.organizationId, 'owner'));
  for (const email of INVITED) expect((await owner.post('/api/users', { email, role: 'viewer' })).status).toBe(201);
  await eventually(() => INVITED.every(mailTo));
  const sent = await service.database.query<{ id: string; address: string }>(
    'select c.email_id as id, c.to_addresses[1] as address from email_contents c join emails e on e.id = c.email_id where e.organization_id = $1',
    [POSTMASTER],
  );
  const events = JSON.stringify(
    sent.flatMap(({ id, address }) => {
      const about = { mailbeacon_email_id: id, email: address };
      return [
        sendGridEvent('bounce', { ...about, type: 'bounce', status: '5.1.1' }),
        sendGridEvent('spamreport', about),
      ];
    }),
  );
  expect((await postToSendGridRoute(service.address, events, key.sign(events))).status).toBe(200);
  await eventually(async () => {
    const [row] = await service.database.query<{ bounced: number; complained: number }>(
      'select sum(bounced)::int as bounced, sum(complained)::int as complained from sending_rates where organization_id = $1 and sent >= 3',
      [POSTMASTER],
    );
    return row?.bounced === 3 && row.complained === 3;
  });
  await guards.evaluate();
  expect(await guards.stateOf(postmaster)).toBe('warned');

  const { email } = await newUser(service, (await service.organization()).organizationId, 'owner');
  expect((await new Browser(service).post('/api/session/reset', { email })).status).toBe(202);
  await eventually(() => mailTo(email));
});

import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

const mail = { from: 'Ada <ada@acme.example>', subject: 'S', htmlContent: '<p>x</p>' };

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: AWAIT_RESULT });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

const refuse = (address: string): void =>
  service.mailServer.scripts.add(address, { phase: 'rcpt', reply: '550 5.1.1 No such user' });

interface Rates {
  readonly [column: string]: number;
}

const rates = (): Promise<Rates[]> =>
  service.database.query<Rates>('select sent, bounced, complained from sending_rates where organization_id = $1', [
    client.organizationId,
  ]);

it('counts every address that an email went to, also of cc and bcc', async () => {
  const bcc = Array.from({ length: 8 }, (_, at) => `hidden${at}@example.com`);
  refuse('gone-copy@example.com');
  const { status } = await client.post('/api/send', {
    ...mail,
    to: 'to@example.com',
    cc: 'gone-copy@example.com',
    bcc,
  });
  expect(status).toBe(200);
  await eventually(async () => (await rates())[0]?.sent === 10);
  expect(await rates()).toEqual([{ sent: 10, bounced: 1, complained: 0 }]);
});

it('counts a refused address as sent to if its refusal is a bounce, and no address that was left out', async () => {
  refuse('gone@example.com');
  expect((await client.post('/api/send', { ...mail, to: 'gone@example.com' })).status).toBe(500);
  expect(await rates()).toEqual([{ sent: 1, bounced: 1, complained: 0 }]);
  const to = ['gone@example.com', 'other@example.com'];
  expect((await client.post('/api/send', { ...mail, to })).status).toBe(200);
  await eventually(async () => (await rates())[0]?.sent === 2);
  expect(await rates()).toEqual([{ sent: 2, bounced: 1, complained: 0 }]);
});

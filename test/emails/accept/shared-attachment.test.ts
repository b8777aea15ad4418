import { whileLocked } from '../../support/held-lock.js';
import { TestService } from '../../support/service.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start({ environment: { ROLES: 'api' } })));
afterAll(() => service?.stop());

it('an email is accepted while another transaction stores one with the same attachment', async () => {
  const client = await service.organization();
  const attachments = [{ filename: 'a.txt', content: Buffer.from('attached').toString('base64') }];
  const email = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', textContent: 'x', attachments };
  const send = async () => (await client.post('/api/send', email, { prefer: 'respond-async' })).status;
  expect(await send()).toBe(202);
  // The lock that a reference to the content takes.
  await whileLocked(
    service.database,
    (sql) => sql.query('select from attachment_contents for key share'),
    async () => expect(await send()).toBe(202),
  );
});

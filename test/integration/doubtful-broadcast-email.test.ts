import { linksOfAttempt } from '../../src/emails/delivery/links-of-attempt.js';
import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome } from '../../src/emails/delivery/settle-unknown-outcome.js';
import { loadSigningKeys } from '../../src/links/signing-key-store.js';
import { BroadcastClient } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { TestService } from '../support/service.js';

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ environment: { AMBIGUOUS_SEND: 'hold' } });
});
afterAll(() => service?.stop());

it('an email of a broadcast that an operator settles as sent gets the links of its recipient', async () => {
  const client = await service.organization();
  const broadcasts = new BroadcastClient(client);
  const id = await broadcasts.create({
    htmlContent: `<a href="https://shop.example/{{ key }}">a</a> <a href="https://shop.example/all">b</a>
      <a href="{{ unsubscribe_url }}">c</a>`,
  });
  const [sure, doubtful] = ['sure', 'doubtful'].map((key) => ({ to: `${key}@example.com`, variables: { key } }));
  await broadcasts.add(id, [sure!, doubtful!]);
  service.mailServer.scripts.add(doubtful!.to, { phase: 'dot', fault: 'drop', accepts: true }, 1);
  await broadcasts.move(id, 'send');
  const email = await eventually(
    async () => (await listUnknownOutcomes(service.database, client.organizationId, 10))[0],
  );
  await broadcasts.settled(id, 'sent');
  const keys = await loadSigningKeys(service.database);
  const urlsOf = (settled: Parameters<typeof linksOfAttempt>[0]) =>
    linksOfAttempt(settled, service.settings.BASE_URL, keys);
  expect(await settleUnknownOutcome(service.database, email.id, 'sent', urlsOf)).toBe(true);
  const links = await service.database.query<{ to: string; urls: string[] }>(
    `select c.to_addresses[1] as to, l.urls from email_links l join email_contents c on c.email_id = l.email_id
      order by 1 desc`,
  );
  expect(links).toEqual(
    ['sure', 'doubtful'].map((key) => ({
      to: `${key}@example.com`,
      urls: [`https://shop.example/${key}`, 'https://shop.example/all'],
    })),
  );
  expect((await broadcasts.read(id)).progress).toMatchObject({ total: 2, sent: 2, failed: 0 });
});

import { BroadcastClient, people } from '../../support/broadcast-client.js';
import { takeStep } from '../../support/broadcast-step.js';
import { eventually } from '../../support/eventually.js';
import { TestService } from '../../support/service.js';

/** Ten emails at once. */
const FAST = 600;
const PACE = 6;

let service: TestService;
let recover = (): void => undefined;

beforeAll(async () => void (service = await TestService.start({ environment: { DELIVERY_TIMEOUT_MS: '600000' } })));
afterAll(async () => {
  recover();
  await service?.stop();
});

it('a paced broadcast gets no new emails while as many are due again as may be sent', async () => {
  const { database, mailServer } = service;
  const broadcasts = new BroadcastClient(await service.organization());
  mailServer.scripts.add('*', { phase: 'mail', after: new Promise<void>((resolve) => (recover = resolve)) });
  const id = await broadcasts.create({ pace: FAST });
  await broadcasts.add(id, people(100));
  await broadcasts.move(id, 'send');

  /** As if the provider had deferred every email so far. */
  const defer = (until: string) =>
    database.query(
      'update pending_emails set attempts = 1, due_at = now() + $2::interval where broadcast_id = $1 and lease_token is null',
      [id, until],
    );
  const emails = async () => {
    const [row] = await database.query<{ emails: string }>('select emails from broadcasts where id = $1', [id]);
    return Number(row!.emails);
  };
  await eventually(async () => (await emails()) > PACE);
  await database.query('update broadcasts set pace = $2 where id = $1', [id, PACE]);
  await defer('30 seconds');
  const before = await emails();
  await takeStep(database, id);
  await takeStep(database, id);
  expect(await emails()).toBe(before);
  // Emails that wait for longer, such as those for a full mailbox, hold up no others.
  await defer('1 hour');
  await takeStep(database, id);
  await eventually(async () => (await emails()) > before);
});

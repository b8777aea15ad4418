import { BroadcastClient, people } from '../../support/broadcast-client.js';
import { takeStep } from '../../support/broadcast-step.js';
import { eventually } from '../../support/eventually.js';
import { TestService } from '../../support/service.js';

const RECIPIENTS = 2_000;
/** A worker takes them as soon as they are created, and another step refills what the provider has not tried yet. */
const MOST = 1_200;

let service: TestService;
let recover = (): void => undefined;

beforeAll(async () => void (service = await TestService.start({ environment: { DELIVERY_TIMEOUT_MS: '600000' } })));
afterAll(async () => {
  recover();
  await service?.stop();
});

it('a broadcast gets no new emails while a thousand wait for another attempt and none become final', async () => {
  const { database, mailServer } = service;
  const broadcasts = new BroadcastClient(await service.organization('unlimited'));
  mailServer.scripts.add('*', { phase: 'mail', after: new Promise<void>((resolve) => (recover = resolve)) });
  const id = await broadcasts.create();
  for (let from = 0; from < RECIPIENTS; from += 1_000) await broadcasts.add(id, people(1_000, from));
  await broadcasts.move(id, 'send');

  /** As if the provider had deferred every email so far, and the last measurements had found this rate. */
  const defer = (perSecond: number) =>
    database.query(
      `with deferred as (
         update pending_emails set attempts = 1, due_at = now() + interval '1 hour' where broadcast_id = $1)
       update broadcasts set started_at = now() - interval '1 minute', per_second = $2, measured_at = now(),
              measured_emails = 0
        where id = $1`,
      [id, perSecond],
    );
  const emails = async () => {
    const [row] = await database.query<{ emails: string }>('select emails from broadcasts where id = $1', [id]);
    return Number(row!.emails);
  };
  await eventually(async () => (await emails()) > 0);
  for (let step = 0; step < 15; step++) {
    await defer(0);
    await takeStep(database, id);
  }
  expect(await emails()).toBeGreaterThanOrEqual(1_000);
  expect(await emails()).toBeLessThanOrEqual(MOST);

  const before = await emails();
  await defer(100);
  await takeStep(database, id);
  await eventually(async () => (await emails()) > before);
});

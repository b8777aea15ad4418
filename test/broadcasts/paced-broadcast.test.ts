import { BroadcastClient, people } from '../support/broadcast-client.js';
import { takeStep } from '../support/broadcast-step.js';
import { eventually } from '../support/eventually.js';
import { TestService } from '../support/service.js';

const RECIPIENTS = 12;
/** One email a second, so that two may wait. */
const PACE = 60;

it('a paced broadcast has few emails waiting, however long the provider takes', async () => {
  const service = await TestService.start({ environment: { DELIVERY_TIMEOUT_MS: '600000' } });
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  try {
    for (const { to } of people(RECIPIENTS)) service.mailServer.scripts.add(to, { phase: 'rcpt', after: opened }, 1);
    const broadcasts = new BroadcastClient(await service.organization());
    const id = await broadcasts.create({ pace: PACE });
    await broadcasts.add(id, people(RECIPIENTS));
    await broadcasts.move(id, 'send');
    const waiting = async () =>
      (await service.database.query('select 1 as waits from pending_emails where broadcast_id = $1', [id])).length;
    const step = () => takeStep(service.database, id);
    await eventually(async () => (await waiting()) > 0);
    for (let steps = 0; steps < 6; steps++) await step();
    expect(await waiting()).toBeLessThanOrEqual(2);
    open();
    await eventually(async () => {
      await step();
      return (await broadcasts.read(id)).progress.sent >= 4;
    });
  } finally {
    open();
    await service.stop();
  }
});

it('a paced broadcast is sent once its last email is, without the wait for a next one', async () => {
  const service = await TestService.start();
  try {
    const broadcasts = new BroadcastClient(await service.organization());
    const id = await broadcasts.create({ pace: 1 });
    await broadcasts.add(id, people(1));
    await broadcasts.move(id, 'send');
    expect((await broadcasts.settled(id, 'sent')).progress).toMatchObject({ sent: 1 });
  } finally {
    await service.stop();
  }
});

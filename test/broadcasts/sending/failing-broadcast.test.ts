import { randomBytes } from 'node:crypto';
import { CapturedLog } from '../../support/captured-log.js';
import { BroadcastClient, people } from '../../support/broadcast-client.js';
import { TestService } from '../../support/service.js';
import { eventually } from '../../support/eventually.js';

const log = new CapturedLog('warn', ['worker']);

let service: TestService;

beforeAll(async () => void (service = await TestService.start({ logger: log.logger })));
afterAll(() => service?.stop());

it('a broadcast whose step fails again and again delays no other, and goes on once the reason is gone', async () => {
  const failing = new BroadcastClient(await service.organization());
  const attachments = [{ filename: 'Plan.pdf', content: randomBytes(100).toString('base64') }];
  const id = await failing.create({ attachments });
  await failing.add(id, people(2));
  const [content] = await service.database.query<{ sha256: Buffer; bytes: Buffer }>(
    'delete from attachment_contents where organization_id = $1 returning sha256, bytes',
    [failing.client.organizationId],
  );
  await failing.move(id, 'send');
  await eventually(() => log.text.includes(id));
  const healthy = new BroadcastClient(await service.organization());
  for (let n = 0; n < 3; n++) {
    const other = await healthy.create();
    await healthy.add(other, people(2));
    await healthy.move(other, 'send');
    await healthy.settled(other, 'sent');
  }
  expect(await failing.read(id)).toMatchObject({ status: 'sending', progress: { sent: 0 } });
  await service.database.query('insert into attachment_contents (organization_id, sha256, bytes) values ($1, $2, $3)', [
    failing.client.organizationId,
    content!.sha256,
    content!.bytes,
  ]);
  await service.database.query('update broadcasts set step_at = now() where id = $1', [id]);
  await failing.settled(id, 'sent');
});

import { resumeSending, suspendOrganization } from '../../../src/organizations/guard/guard-change.js';
import { BroadcastClient, people } from '../../support/broadcast-client.js';
import { eventually } from '../../support/eventually.js';
import { TestService } from '../../support/service.js';

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
});
afterAll(() => service?.stop());

it('a broadcast of a suspended organization takes a step every few seconds, and continues when it is resumed', async () => {
  const client = await service.organization();
  const broadcasts = new BroadcastClient(client);
  const id = await broadcasts.create({ pace: 1_200 });
  await broadcasts.add(id, people(60));
  await broadcasts.move(id, 'send');
  await eventually(async () => (await broadcasts.read(id)).progress.sent > 0);
  await suspendOrganization(service.database, client.organizationId, 'An investigation');
  await eventually(async () => {
    const [row] = await service.database.query<{ seconds: number }>(
      'select extract(epoch from step_at - now())::float8 as seconds from broadcasts where id = $1',
      [id],
    );
    return row!.seconds > 3;
  });
  await resumeSending(service.database, client.organizationId);
  await eventually(async () => {
    const [row] = await service.database.query<{ status: string }>('select status from broadcasts where id = $1', [id]);
    return row!.status === 'sent';
  }, 30_000);
});

import type { BroadcastView } from '../../src/broadcasts/broadcast-view.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { interruptOnce } from '../support/interrupted-once.js';
import { TestService } from '../support/service.js';

/** More than a deletion takes in its first transaction. */
const RECIPIENTS = 6_000;

it('a draft whose deletion has begun is not sent to the recipients that are left, and can be deleted again', async () => {
  const service = await TestService.start();
  try {
    const client = await service.organization();
    const broadcasts = new BroadcastClient(client);
    const id = await broadcasts.create();
    await broadcasts.add(id, people(RECIPIENTS));
    // The last transaction fails.
    await interruptOnce(service.database, 'delete on broadcasts', 'XX000');
    expect((await client.delete(`/api/broadcasts/${id}`)).status).toBe(500);
    expect((await broadcasts.move(id, 'send')).status).toBe(409);
    // Workers do not keep the addresses until then.
    await eventually(async () => {
      const left = await service.database.query('select from broadcast_recipients where broadcast_id = $1 limit 1', [
        id,
      ]);
      return left.length === 0;
    });
    expect(await service.database.query('select from emails')).toEqual([]);
    expect((await client.delete(`/api/broadcasts/${id}`)).status).toBe(204);
    expect((await client.get<BroadcastView>(`/api/broadcasts/${id}`)).status).toBe(404);
  } finally {
    await service.stop();
  }
});

it('a canceled broadcast stays: it is no draft that is being deleted', async () => {
  const service = await TestService.start();
  try {
    const client = await service.organization();
    const broadcasts = new BroadcastClient(client);
    const id = await broadcasts.create({ sendAt: new Date(Date.now() + 3_600_000).toISOString() });
    await broadcasts.add(id, people(1));
    await broadcasts.move(id, 'send');
    await broadcasts.move(id, 'cancel');
    expect((await client.delete(`/api/broadcasts/${id}`)).status).toBe(409);
  } finally {
    await service.stop();
  }
});

it('a deleted draft leaves neither its message nor its recipients', async () => {
  const service = await TestService.start({ environment: { ROLES: 'api' } });
  try {
    const client = await service.organization();
    const broadcasts = new BroadcastClient(client);
    const id = await broadcasts.create();
    await broadcasts.add(id, people(2));
    const kept = () =>
      service.database.query(
        `select (select count(*)::int from messages where organization_id = $1) as messages,
                (select count(*)::int from broadcast_recipients where broadcast_id = $2) as recipients`,
        [client.organizationId, id],
      );
    expect(await kept()).toEqual([{ messages: 1, recipients: 2 }]);
    expect((await client.delete(`/api/broadcasts/${id}`)).status).toBe(204);
    expect(await kept()).toEqual([{ messages: 0, recipients: 0 }]);
  } finally {
    await service.stop();
  }
});

import { jest } from '@jest/globals';
import { WorkListener, WorkNotifier } from '../../../src/platform/queue/work-notifications.js';
import { connectForBlocking } from '../../../src/platform/redis/connect.js';
import { BroadcastClient, people } from '../../support/broadcast-client.js';
import { eventually } from '../../support/eventually.js';
import { requestRun, startedRun } from '../../support/recurring-runs.js';
import { TestService, type TestClient } from '../../support/service.js';

const NEVER_MS = 3_600_000;
const IN_AN_HOUR = (): string => new Date(Date.now() + NEVER_MS).toISOString();
const message = { from: 'ada@acme.example', subject: 'S', htmlContent: '<p>x</p>' };

let service: TestService;
let client: TestClient;

beforeEach(async () => {
  service = await TestService.start();
  client = await service.organization();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await service?.stop();
});

/** Resolves once the workers only wait for notifications. */
async function idleForEver(): Promise<void> {
  const idle = jest.spyOn(WorkListener.prototype, 'idleMs').mockReturnValue(NEVER_MS);
  // The dispatch, the broadcasts and the erasures.
  await eventually(() => idle.mock.calls.length >= 3, 20_000);
}

const isSent = (to: string): boolean => service.mailServer.messages.some(({ recipients }) => recipients.includes(to));

/** Each creates an email to this address that only a query of a worker finds. */
const works: Record<string, (to: string) => Promise<void>> = {
  'a batch': async (to) => {
    expect((await client.post('/api/send/batch', { emails: [{ ...message, to }] })).status).toBe(202);
  },
  'a broadcast': async (to) => {
    const broadcasts = new BroadcastClient(client);
    const id = await broadcasts.create();
    await broadcasts.add(id, [{ to }]);
    await broadcasts.move(id, 'send');
  },
  'a scheduled email that is due at once after all': async (to) => {
    const { body } = await client.post<{ emailTrackingId: string }>('/api/send', {
      ...message,
      to,
      sendAt: IN_AN_HOUR(),
    });
    const { status } = await client.patch(`/api/emails/${body.emailTrackingId}`, { sendAt: new Date().toISOString() });
    expect(status).toBe(200);
  },
  'an email that fills no slot, because the window is full': async (to) => {
    await service.database.query('update dispatch_window set share = 0');
    expect((await client.post('/api/send', { ...message, to })).status).toBeLessThan(300);
  },
};

describe('an idle worker', () => {
  it.each(Object.keys(works))('starts %s at once', async (name) => {
    await idleForEver();
    await works[name]!('reader@example.com');
    await eventually(() => isSent('reader@example.com'));
  });

  it.each(Object.keys(works))('starts %s within seconds if the notification is lost', async (name) => {
    jest.spyOn(WorkNotifier.prototype, 'notify').mockReturnValue(undefined);
    await works[name]!('reader@example.com');
    await eventually(() => isSent('reader@example.com'), 20_000);
  });

  it('notices a pause and a cancellation of a broadcast', async () => {
    await idleForEver();
    const broadcasts = new BroadcastClient(client);
    const id = await broadcasts.create({ sendAt: IN_AN_HOUR() });
    await broadcasts.add(id, people(3));
    for (const move of ['send', 'pause', 'cancel'] as const) await broadcasts.move(id, move);
    await eventually(async () => {
      const rows = await service.database.query('select from broadcast_recipients where broadcast_id = $1', [id]);
      return rows.length === 0;
    });
  });

  it('starts a requested recurring job at once', async () => {
    const redis = connectForBlocking(service.settings.REDIS_URL);
    // Without a notification, a worker finds a request only when the next run of the job was due anyway.
    const due = new Set<number>();
    const requests = 6;
    for (let request = 0; request < requests; request++) {
      await requestRun(redis, 'cancel-mail');
      due.add(await eventually(() => startedRun(redis, 'cancel-mail')));
    }
    redis.disconnect();
    expect(due.size).toBeLessThan(requests);
  });
});

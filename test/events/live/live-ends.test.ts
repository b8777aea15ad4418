import { connect, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { channelOf } from '../../../src/events/live/live-store.js';
import { eventually } from '../../support/eventually.js';
import { LiveEvents } from '../../support/live-events.js';
import { newUser, signedIn } from '../../support/people.js';
import { PrivateRedis } from '../../support/private-redis.js';
import { TestService, type TestClient } from '../../support/service.js';

const EMAIL = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: 'x' };
const AT_ONCE = { prefer: 'respond-async' };

async function serve(
  environment: Record<string, string>,
  test: (service: TestService, client: TestClient) => Promise<void>,
): Promise<void> {
  const service = await TestService.start({ environment });
  try {
    await test(service, await service.organization());
  } finally {
    await service.stop();
  }
}

describe('a live connection', () => {
  it('pauses while Redis is down, and then continues without a gap or sends `refresh`', async () => {
    const redis = await PrivateRedis.start();
    try {
      await serve({ REDIS_URL: redis.url }, async (service, client) => {
        const live = await LiveEvents.follow(service, client.apiKey);
        await redis.kill();
        await live.find('paused');
        const late = await LiveEvents.open(service, { 'x-api-key': client.apiKey });
        await late.find('paused');
        await client.post('/api/send', EMAIL, AT_ONCE);
        await redis.start();
        await eventually(() => live.count('ready') === 2, 20_000);
        await late.find('ready', undefined, 20_000);
        // Events accepted meanwhile could not be published.
        await live.find('refresh', undefined, 20_000);
        const { body } = await client.post<{ emailTrackingId: string }>('/api/send', EMAIL);
        const { body: email } = await client.get<{ id: string }>(`/api/emails/${body.emailTrackingId}`);
        for (const one of [live, late]) await one.find('email.accepted', email.id);
        expect(live.hasEnded).toBe(false);
        live.close();
        late.close();
      });
    } finally {
      await redis.remove();
    }
  });

  it('leaves no subscription in Redis once the last client of its organization is gone', async () => {
    await serve({ ROLES: 'api' }, async (service, client) => {
      const redis = new Redis(service.settings.REDIS_URL);
      try {
        const subscribers = async () => (await redis.pubsub('NUMSUB', channelOf(client.organizationId)))[1];
        const [one, other] = [
          await LiveEvents.follow(service, client.apiKey),
          await LiveEvents.follow(service, client.apiKey),
        ];
        const connections = async () =>
          /^mailbeacon_live_connections (\d+)$/m.exec(
            await (await fetch(`${service.operatorAddress}/metrics`)).text(),
          )![1];
        one.close();
        await eventually(async () => (await connections()) === '1');
        expect(await subscribers()).toBe(1);
        other.close();
        await eventually(async () => (await subscribers()) === 0);
      } finally {
        redis.disconnect();
      }
    });
  });

  it('reads from the stream what the channel has lost', async () => {
    await serve({ ROLES: 'api' }, async (service, client) => {
      const redis = new Redis(service.settings.REDIS_URL);
      try {
        const live = await LiveEvents.follow(service, client.apiKey);
        const lost = JSON.stringify([{ type: 'email.sent', emailId: 'lost', at: new Date().toISOString() }]);
        await redis.xadd(channelOf(client.organizationId), '*', 'm', lost);
        await live.find('email.sent', 'lost');
        expect(live.count('email.sent')).toBe(1);
        live.close();
      } finally {
        redis.disconnect();
      }
    });
  });

  it('ends when its session ends', async () => {
    await serve({ ROLES: 'api' }, async (service, { organizationId }) => {
      const browser = await signedIn(service, await newUser(service, organizationId, 'viewer'));
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { cookie, 'x-requested-with': 'test', 'sec-fetch-site': 'same-origin' };
      const live = await LiveEvents.open(service, headers);
      await live.find('ready');
      expect((await browser.request('DELETE', '/api/session')).status).toBe(204);
      await eventually(() => live.hasEnded);
    });
  });

  it('ends before the process does, which does not wait for it', async () => {
    let live: LiveEvents | undefined;
    await serve({ ROLES: 'api' }, async (service, { apiKey }) => {
      live = await LiveEvents.follow(service, apiKey);
    });
    await eventually(() => live!.hasEnded);
    expect(live!.response.complete).toBe(true);
  });

  it('has a limit per organization and process', async () => {
    await serve(
      { ROLES: 'api', LIVE_CONNECTIONS: '3', LIVE_CONNECTIONS_PER_ORGANIZATION: '2' },
      async (service, client) => {
        const other = await service.organization();
        const held = [await LiveEvents.follow(service, client.apiKey), await LiveEvents.follow(service, client.apiKey)];
        const { status, headers, body } = await client.get('/api/live');
        expect([status, headers.get('retry-after'), body.error]).toEqual([
          429,
          '30',
          expect.stringContaining('of this organization are open'),
        ]);
        held.push(await LiveEvents.follow(service, other.apiKey));
        const another = await service.organization();
        expect((await another.get('/api/live')).body.error).toContain('of this service are open');
        held[0]!.close();
        const next = await eventually(async () => {
          const live = await LiveEvents.open(service, { 'x-api-key': client.apiKey });
          return live.status === 200 && live;
        });
        for (const live of [...held, next]) live.close();
      },
    );
  });

  it('is closed when its client does not read, and does not affect others', async () => {
    await serve({ ROLES: 'api' }, async (service, client) => {
      const redis = new Redis(service.settings.REDIS_URL);
      const reading = await LiveEvents.follow(service, client.apiKey);
      const slow = connect(service.settings.PORT, '127.0.0.1');
      slow.write(`GET /api/live HTTP/1.1\r\nhost: x\r\nx-api-key: ${client.apiKey}\r\n\r\n`);
      const head = await new Promise<string>((resolve) => slow.once('data', (data) => resolve(String(data))));
      expect(head).toContain('200 OK');
      slow.pause();
      slow.on('error', () => undefined);
      const channel = channelOf(client.organizationId);
      let published = 0;
      try {
        const ended = async (): Promise<number> => {
          const text = await (await fetch(`${service.operatorAddress}/metrics`)).text();
          return Number(/^mailbeacon_live_connections_ended_total\{reason="slow"\} (\d+)$/m.exec(text)![1]);
        };
        await eventually(async () => {
          const message = { type: 'email.sent', emailId: 'x'.repeat(200_000) };
          await redis.publish(channel, `9999999999999-${++published} ${JSON.stringify([message])}`);
          await eventually(() => reading.count('email.sent') === published);
          return published % 5 === 0 && (await ended()) === 1;
        }, 30_000);
        expect(reading.hasEnded).toBe(false);
      } finally {
        closeAll(slow, reading);
        redis.disconnect();
      }
    });
  });
});

function closeAll(slow: Socket, reading: LiveEvents): void {
  slow.destroy();
  reading.close();
}

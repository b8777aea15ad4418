import { Redis } from 'ioredis';
import { decodeEntry } from '../../src/events/stream/codec/event-codec.js';
import { EVENT_STREAM } from '../../src/events/stream/stream-keys.js';
import type { RecipientEvent } from '../../src/events/recipient-event.js';
import { eventually, settledWithin } from '../support/eventually.js';
import { PrivateRedis } from '../support/private-redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService } from '../support/service.js';

/** Events in the order of their IDs. An event that Redis accepted too late occurs twice, with the same ID. */
async function streamed(redis: Redis): Promise<RecipientEvent[]> {
  const entries = await redis.xrangeBuffer(EVENT_STREAM, '-', '+');
  const events = entries.flatMap(([, fields]) => decodeEntry(fields[1]!).events);
  const byId = new Map(events.filter((event) => event.type === 'recipient').map((event) => [event.id, event]));
  return [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

it('recipients unsubscribe and undo it while Postgres and Redis are down, and nothing is lost', async () => {
  const redisServer = await PrivateRedis.start();
  const redis = new Redis(redisServer.url);
  const sender = await TestService.start({ environment: { ROLES: 'api,worker', REDIS_URL: redisServer.url } });
  const cable = await TcpProxy.before(new URL(sender.settings.DATABASE_URL));
  const settings = { ...sender.settings, DATABASE_URL: cable.through(sender.settings.DATABASE_URL) };
  const edge = await TestService.start({
    beside: { settings, mailServer: sender.mailServer },
    environment: { ROLES: 'tracking' },
  });
  try {
    const client = await sender.organization();
    const email = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    const {
      response: { emailTrackingId },
      message,
    } = await sendMessage(client, sender.mailServer, { ...email, unsubscribe: true });
    const page = /^List-Unsubscribe: <(.*)>\r$/m.exec(message.content.toString())![1]!;

    cable.hold();
    redisServer.freeze();
    // Both still hang when the edge responds.
    expect((await settledWithin(20_000, edge.track(page))).status).toBe(200);
    for (const choice of ['unsubscribe', 'resubscribe', 'unsubscribe']) {
      const chosen = edge.track(page, { method: 'POST', body: new URLSearchParams({ choice }) });
      const response = await settledWithin(20_000, chosen);
      expect(response.status).toBe(200);
    }
    redisServer.thaw();
    await eventually(async () => (await streamed(redis)).length >= 3, 20_000);
    const events = await streamed(redis);
    expect(events.map(({ email, recipient, fact }) => [email, recipient, fact])).toEqual([
      [emailTrackingId, 0, 'unsubscribed'],
      [emailTrackingId, 0, 'resubscribed'],
      [emailTrackingId, 0, 'unsubscribed'],
    ]);
  } finally {
    redisServer.thaw();
    cable.release();
    redis.disconnect();
    await edge.stop();
    await sender.stop();
    await cable.goDown();
    await redisServer.remove();
  }
});

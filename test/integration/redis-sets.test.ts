import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { startCluster, startSentinelSet, type RedisSet } from '../support/redis-sets.js';
import { TestService } from '../support/service.js';

const EMAIL = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
const HEALS_WITHIN_MS = 60_000;

/** Sends and opens until stopped; resolves with the responses. */
function load(service: TestService, send: () => Promise<{ status: number }>, pixelUrl: string) {
  const responses: number[] = [];
  let opens = 0;
  let flowing = true;
  const sending = (async () => {
    while (flowing) {
      responses.push((await send()).status);
      if ((await service.track(pixelUrl)).status === 200) opens++;
    }
  })();
  return {
    stop: async () => {
      flowing = false;
      await sending;
      return { responses, opens };
    },
  };
}

describe.each([
  ['watched by Sentinels', startSentinelSet],
  ['of a Redis Cluster', startCluster],
])('a primary %s that is killed', (_, startSet) => {
  let set: RedisSet;
  let service: TestService;

  beforeAll(async () => {
    set = await startSet();
    service = await TestService.start({ environment: { ...set.environment, SEND_RESPONSE_TIMEOUT_MS: '2000' } });
  });

  afterAll(async () => {
    await service?.stop();
    await set?.remove();
  });

  it('is replaced for every connection; each accepted email is delivered and counted once', async () => {
    const client = await service.organization();
    const send = () => client.post<SendResponse>('/api/send', EMAIL);
    const first = await send();
    expect(first.status).toBe(200);
    const { responses, opens } = await (async () => {
      const traffic = load(service, send, first.body.pixelUrl);
      const dead = await set.primary();
      await dead.kill();
      expect(await set.primary()).not.toBe(dead);
      await eventually(async () => (await send()).status === 200, HEALS_WITHIN_MS);
      return traffic.stop();
    })();
    expect(responses.filter((status) => status !== 200 && status !== 202)).toEqual([]);
    await eventually(async () => {
      const [row] = await service.database.query<{ open: number; opens: number }>(
        `select count(*) filter (where status <> 'sent')::int as open, sum(opens)::int as opens from emails`,
      );
      return row!.open === 0 && row!.opens === opens;
    }, HEALS_WITHIN_MS);
    const ids = service.mailServer.messages.map(({ emailId }) => emailId);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await fetch(`${service.address}/health/ready`)).status).toBe(200);
  });

  it('may return and take over again while connections to the other one stay open', async () => {
    const client = await service.organization();
    const send = () => client.post<SendResponse>('/api/send', EMAIL);
    const stopped = set.nodes.filter((node) => !node.isRunning);
    await Promise.all(stopped.map((node) => node.start()));
    await eventually(async () => (await send()).status === 200, HEALS_WITHIN_MS);
    const before = await set.primary();
    await set.switchOver();
    const response = await send();
    expect([200, 202]).toContain(response.status);
    expect(await set.primary()).not.toBe(before);
    // With the result and the rate limit, which require a Redis that accepts writes.
    await eventually(async () => {
      const { status, headers } = await send();
      return status === 200 && Number(headers.get('ratelimit-remaining')) > 0;
    }, HEALS_WITHIN_MS);
    await eventually(async () => {
      const [row] = await service.database.query<{ open: number }>(
        `select count(*) filter (where status <> 'sent')::int as open from emails`,
      );
      return row!.open === 0;
    }, HEALS_WITHIN_MS);
    const ids = service.mailServer.messages.map(({ emailId }) => emailId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

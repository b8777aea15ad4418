import { jest } from '@jest/globals';
import { OpenSegment } from '../../src/events/stream/open-segment.js';
import { SpoolSpace } from '../../src/events/stream/spool-space.js';
import { eventually } from '../support/eventually.js';
import { PrivateRedis } from '../support/private-redis.js';
import { TestService } from '../support/service.js';

let redis: PrivateRedis;
let service: TestService;

beforeAll(async () => {
  redis = await PrivateRedis.start();
  service = await TestService.start({ environment: { ROLES: 'api,tracking', REDIS_URL: redis.url } });
});

afterAll(async () => {
  await service?.stop();
  await redis?.remove();
  jest.restoreAllMocks();
});

async function ready(): Promise<{ status: number; tracking: string }> {
  const response = await fetch(`${service.address}/health/ready`);
  const { roles } = (await response.json()) as { roles: Record<string, Record<string, string>> };
  return { status: response.status, tracking: roles['tracking']!['redis or spool']! };
}

async function outcomes(): Promise<Record<string, number>> {
  const { values } = await service.metrics.getSingleMetric('mailbeacon_tracking_requests_total')!.get();
  const counted = values.filter(({ value, labels }) => value > 0 && labels['kind'] === 'open');
  return Object.fromEntries(counted.map(({ value, labels }) => [labels['outcome'], value]));
}

it('readers and senders get their responses while Redis is down and the disk of the spool does not respond', async () => {
  const client = await service.organization();
  const message = { to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<{ pixelUrl: string }>('/api/emails', message);
  let release!: () => void;
  const responds = new Promise<void>((resolve) => (release = resolve));
  const { append } = OpenSegment.prototype;
  jest.spyOn(OpenSegment.prototype, 'append').mockImplementation(async function (this: OpenSegment, record) {
    await responds;
    return append.call(this, record);
  });
  // The one check of the folder: a scrape or a request for readiness starts no other while it waits.
  const space = SpoolSpace.prototype as unknown as { checkWritable(): Promise<void> };
  const checks = jest.spyOn(space, 'checkWritable').mockImplementation(() => responds);

  await redis.kill();
  let status = 0;
  void service.track(body.pixelUrl).then((response) => (status = response.status));
  try {
    await eventually(() => status === 200);
    expect(await outcomes()).toEqual({});
    let accepted = 0;
    void client.post('/api/emails', message).then((response) => (accepted = response.status));
    await eventually(() => accepted === 201 || accepted === 200);
    await eventually(async () => (await ready()).tracking === 'the spool refuses events: its disk does not respond');
    const refuses = await service.metrics.getSingleMetric('mailbeacon_event_spool_refuses')!.get();
    expect(refuses.values[0]!.value).toBe(1);
    expect(checks).toHaveBeenCalledTimes(1);
  } finally {
    release();
  }
  await eventually(async () => (await outcomes())['recorded'] === 1);
});

it('the tracking edge stays in service while neither Redis nor the disk responds', async () => {
  await redis.start();
  await eventually(async () => (await ready()).tracking === 'ok');
  let release!: () => void;
  const responds = new Promise<void>((resolve) => (release = resolve));
  const space = SpoolSpace.prototype as unknown as { checkWritable(): Promise<void> };
  jest.spyOn(space, 'checkWritable').mockImplementation(() => responds);
  redis.freeze();
  try {
    const tracking = 'the spool refuses events: its disk does not respond';
    const found = await eventually(async () => {
      const report = await ready();
      return report.tracking !== 'ok' && report;
    });
    expect(found).toEqual({ status: 200, tracking });
  } finally {
    redis.thaw();
    release();
  }
});

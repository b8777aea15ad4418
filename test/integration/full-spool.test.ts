import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { CapturedLog } from '../support/captured-log.js';
import { eventually } from '../support/eventually.js';
import { PrivateRedis } from '../support/private-redis.js';
import { TestService } from '../support/service.js';

const LIMIT = 10_000_000;

/** This Redis responds, and refuses every write. */
let redis: PrivateRedis;
let service: TestService;

beforeAll(async () => {
  redis = await PrivateRedis.start();
  const environment = { ROLES: 'api,tracking', REDIS_URL: redis.url, SPOOL_MAX_BYTES: String(LIMIT) };
  service = await TestService.start({ environment });
});

afterAll(async () => {
  await service?.stop();
  await redis?.remove();
});

async function readiness(of = service, role = 'tracking'): Promise<{ status: number; reported: string | undefined }> {
  const response = await fetch(`${of.address}/health/ready`);
  const { roles } = (await response.json()) as { roles: Record<string, Record<string, string>> };
  return { status: response.status, reported: roles[role]?.['redis or spool'] };
}

async function gauge(name: string, of = service): Promise<number | undefined> {
  const metric = await of.metrics.getSingleMetric(name)?.get();
  return metric?.values[0]?.value;
}

it('a full spool appears in readiness and metrics, readers get responses, and it accepts events again once there is room', async () => {
  const client = await service.organization();
  const { body } = await client.post<{ pixelUrl: string }>('/api/emails', {
    to: 'reader@example.com',
    subject: 'S',
    htmlContent: '<p>x</p>',
  });
  const open = async () => expect((await service.track(body.pixelUrl)).status).toBe(200);
  const lost = async () => {
    const metric = await service.metrics.getSingleMetric('mailbeacon_events_appended_total')!.get();
    return metric.values.find(({ labels }) => labels['outcome'] === 'lost')!.value;
  };
  expect(await gauge('mailbeacon_event_spool_limit_bytes')).toBe(LIMIT);
  expect(await gauge('mailbeacon_event_spool_refuses')).toBe(0);

  await redis.command('CONFIG', 'SET', 'maxmemory', '1');
  await open();
  await eventually(async () => (await readiness()).reported === 'ok');
  // A file of that size without content, as another process may have written into the folder.
  const filler = join(service.settings.SPOOL_DIRECTORY, 'of-another-process.damaged');
  await writeFile(filler, '');
  await truncate(filler, LIMIT);
  await eventually(async () => {
    await open();
    return (await lost()) > 0;
  }, 20_000);
  await eventually(async () => (await readiness()).reported === 'the spool is full');
  expect((await readiness()).status).toBe(200);
  expect(await gauge('mailbeacon_event_spool_refuses')).toBe(1);

  await rm(filler);
  await eventually(async () => {
    await open();
    return (await gauge('mailbeacon_event_spool_refuses')) === 0;
  });
  await redis.command('CONFIG', 'SET', 'maxmemory', '0');
  await eventually(async () => (await gauge('mailbeacon_event_spool_bytes')) === 0);
  await eventually(async () => (await readiness()).reported === 'ok');
});

describe('a spool folder that cannot be written', () => {
  let folder: string;
  let stopped: PrivateRedis;
  const log = new CapturedLog('warn', []);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
    // Below a file, so that no account can create it: tests may run as root, whom permissions do not stop.
    await writeFile(join(folder, 'file'), '');
    stopped = await PrivateRedis.start();
  });
  afterAll(async () => {
    await stopped.remove();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['tracking', 200, 'the spool refuses events: ENOTDIR'],
    ['bounces', 503, 'ENOTDIR'],
  ])('shows in log and metrics at once; without Redis, the role %s reports %d', async (role, status, reported) => {
    if (!stopped.isRunning) await stopped.start();
    const own = await TestService.start({
      environment: {
        ROLES: role,
        REDIS_URL: stopped.url,
        SPOOL_DIRECTORY: relative(process.cwd(), join(folder, 'file', 'spool')),
        ...(role === 'bounces' && { BOUNCE_DOMAIN: 'bounces.example.com', BOUNCE_SMTP_PORT: '0' }),
      },
      logger: log.logger,
    });
    try {
      await eventually(() => /"reason":".*ENOTDIR.*The spool cannot be written: set SPOOL_DIRECTORY/.test(log.text));
      expect(log.text).toContain(`"folder":"${join(folder, 'file', 'spool')}"`);
      log.text = '';
      expect(await gauge('mailbeacon_event_spool_refuses', own)).toBe(1);
      expect(await readiness(own, role)).toEqual({ status: 200, reported: 'ok' });
      await stopped.kill();
      await eventually(async () => (await readiness(own, role)).reported !== 'ok');
      expect(await readiness(own, role)).toEqual({ status, reported });
    } finally {
      await own.stop();
    }
  });
});

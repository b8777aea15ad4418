import { Queue } from 'bullmq';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { QUEUE_PREFIX, QUEUES } from '../../src/platform/queue/jobs.js';
import { isOperator, OperatorLogin } from '../../src/platform/operator/operator-login.js';
import { startOperatorServer } from '../../src/platform/operator/operator-server.js';
import { connectForBlocking } from '../../src/platform/redis/connect.js';
import { rawRequest } from '../support/raw-http.js';
import { TestService } from '../support/service.js';

const PASSWORD = 'a-password-of-operators';
const login = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

describe('operator surfaces', () => {
  let service: TestService;
  let open: TestService;
  beforeAll(async () => {
    service = await TestService.start({
      environment: { OPERATOR_PASSWORD: PASSWORD, TRUSTED_PROXIES: '127.0.0.1' },
    });
    open = await TestService.start({ environment: { ROLES: 'tracking' } });
  });
  afterAll(async () => {
    await service?.stop();
    await open?.stop();
  });

  const look = (path: string, init?: RequestInit) => fetch(service.operatorAddress + path, init);

  it.each(['/metrics', '/queues', '/queues/api/queues', '/admin'])(
    'are not available at the public address: %s',
    async (path) => {
      for (const headers of [{}, login('operator', PASSWORD)]) {
        const response = await fetch(service.address + path, { headers });
        expect(response.status).toBe(404);
        expect(await response.text()).not.toContain('mailbeacon_');
      }
    },
  );

  it('serve metrics without the names of organizations', async () => {
    const client = await service.organization('pro', 'Canary Incorporated');
    await client.post('/api/campaigns', { name: 'Canary campaign' });
    const response = await look('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    expect(text).toContain('mailbeacon_');
    expect(text).not.toMatch(/canary/i);
    expect(text).not.toContain(client.organizationId);
  });

  it.each(['/health/live', '/health/ready'])('serve the same health as the public address: %s', async (path) => {
    const [inside, outside] = await Promise.all([look(path), fetch(service.address + path)]);
    expect(inside.status).toBe(200);
    expect(await inside.json()).toEqual(await outside.json());
  });

  it.each([
    ['nothing', {}],
    ['a wrong password', login('operator', 'a-password-of-operatorz')],
    ['an empty password', login('operator', '')],
    ['another user', login('admin', PASSWORD)],
    ['another scheme', { authorization: `Bearer ${PASSWORD}` }],
    ['no base64', { authorization: 'Basic \u00ff' }],
  ])('deny the board to a client with %s', async (_name, headers) => {
    for (const path of ['/queues', '/queues/', '/queues/api/queues', '/queues/static/js/none.js']) {
      const response = await look(path, { headers: headers as Record<string, string> });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
      expect(await response.json()).toEqual({ error: 'The queue board needs the operator password' });
    }
  });

  it('show the board to the operator, and allow no change to a job', async () => {
    const headers = login('operator', PASSWORD);
    const page = await look('/queues', { headers });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    const script = /src="(static\/js\/main[^"]+)"/.exec(html)![1]!;
    expect((await look(`/queues/${script}`, { headers })).status).toBe(200);

    const connection = connectForBlocking(service.settings.REDIS_URL);
    const queue = new Queue(QUEUES.webhooks, { connection, prefix: QUEUE_PREFIX });
    try {
      await queue.add('deliver-webhook', { deliveryId: 'nobody' }, { jobId: 'kept', delay: 3_600_000 });
      const response = await look('/queues/api/queues', { headers });
      const { queues } = (await response.json()) as { queues: { name: string; readOnlyMode: boolean }[] };
      expect(queues.map(({ name }) => name).sort()).toEqual(Object.values(QUEUES).sort());
      expect(queues.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
      for (const [method, path] of [
        ['PUT', `/queues/api/queues/${QUEUES.webhooks}/kept/clean`],
        ['PUT', `/queues/api/queues/${QUEUES.webhooks}/obliterate`],
        ['POST', `/queues/api/queues/${QUEUES.webhooks}/add`],
      ] as const) {
        expect((await look(path, { method, headers })).status).toBe(405);
      }
      expect(await queue.getJob('kept')).toBeDefined();
    } finally {
      await queue.obliterate({ force: true });
      await queue.close();
      connection.disconnect();
    }
  });

  it('refuse password guesses once there are too many, from the network of the client behind a proxy', async () => {
    const statusFor = async (client: string, password: string): Promise<number> => {
      const headers = { ...login('operator', password), 'x-forwarded-for': client };
      return (await look('/queues', { headers })).status;
    };
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess++) statuses.push(await statusFor(`2001:db8::${guess}`, `guess ${guess}`));
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    expect(await statusFor('2001:db8:0:1::1', PASSWORD)).toBe(200);
  });

  it('have no board if no password is set', async () => {
    expect((await fetch(`${open.operatorAddress}/queues`)).status).toBe(404);
    expect((await fetch(`${open.operatorAddress}/metrics`)).status).toBe(200);
  });

  it('listen on this machine only, by default', () => {
    expect(service.settings.OPERATOR_HOST).toBe('127.0.0.1');
  });
});

describe('the operator server', () => {
  const surfaces = {
    metrics: { contentType: 'text/plain', metrics: () => Promise.resolve('') },
    health: { live: () => ({}), ready: () => ({}) },
  } as unknown as Parameters<typeof startOperatorServer>[1];
  const settings = {
    KEEP_ALIVE_TIMEOUT_MS: 75_000,
    OPERATOR_HOST: '127.0.0.1',
    OPERATOR_PASSWORD: undefined,
    TRUSTED_PROXIES: [],
    REDIS_URL: 'redis://127.0.0.1:1',
  };

  it('uses the next free port if none is configured, and reports if the configured one is in use', async () => {
    const first = await startOperatorServer({ ...settings, OPERATOR_PORT: undefined }, surfaces);
    const second = await startOperatorServer({ ...settings, OPERATOR_PORT: undefined }, surfaces);
    try {
      expect(second.port).not.toBe(first.port);
      for (const { port } of [first, second])
        expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
    } finally {
      await first.stop();
      await second.stop();
    }
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(startOperatorServer({ ...settings, OPERATOR_PORT: port }, surfaces)).rejects.toThrow(
      `Cannot listen on port ${port} of 127.0.0.1 (EADDRINUSE): set OPERATOR_PORT to a free one`,
    );
    taken.close();
  });

  it('accepts only host names of this machine if it listens on no other address', async () => {
    const onlyHere = await startOperatorServer({ ...settings, OPERATOR_PORT: 0 }, surfaces);
    const everywhere = await startOperatorServer({ ...settings, OPERATOR_HOST: '0.0.0.0', OPERATOR_PORT: 0 }, surfaces);
    const statusOf = async (port: number, host: string) =>
      (await rawRequest(port, `GET /metrics HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)).slice(9, 12);
    try {
      for (const host of ['localhost', `localhost:${onlyHere.port}`, '127.0.0.1', '[::1]:9464']) {
        expect([host, await statusOf(onlyHere.port, host)]).toEqual([host, '200']);
      }
      for (const host of ['attacker.test', 'localhost.attacker.test', '127.0.0.1.attacker.test:80', '10.0.0.1']) {
        expect([host, await statusOf(onlyHere.port, host)]).toEqual([host, '421']);
      }
      expect(await statusOf(everywhere.port, 'mailbeacon-api:9464')).toBe('200');
    } finally {
      await onlyHere.stop();
      await everywhere.stop();
    }
  });

  it('checks no more passwords of an address that has sent ten wrong ones within a minute', () => {
    let now = 0;
    const operatorLogin = new OperatorLogin(PASSWORD, () => now);
    const from = (address: string, password = PASSWORD) =>
      operatorLogin.check(login('operator', password).authorization, address);
    for (let guess = 0; guess < 10; guess++) expect(from('192.0.2.1', `guess ${guess}`)).toBe('refused');
    expect(from('192.0.2.1', 'another guess')).toBe('too-many');
    expect(from('192.0.2.1')).toBe('too-many');
    expect(from('192.0.2.2')).toBe('operator');
    now = 60_001;
    expect(from('192.0.2.1')).toBe('operator');
    for (let visit = 0; visit < 20; visit++) {
      expect(operatorLogin.check(undefined, '192.0.2.1')).toBe('refused');
      expect(from('192.0.2.1', 'one that a browser keeps sending')).toBe('refused');
    }
    expect(from('192.0.2.1')).toBe('operator');
  });

  it('recognizes its operator', () => {
    expect(isOperator(login('operator', 'ä pass').authorization, 'ä pass')).toBe(true);
    expect(isOperator(undefined, '')).toBe(false);
    expect(isOperator('Basic ', '')).toBe(false);
  });
});

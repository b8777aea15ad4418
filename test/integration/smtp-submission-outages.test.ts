import { eventually } from '../support/eventually.js';
import { PrivateRedis } from '../support/private-redis.js';
import { TestService, type TestClient } from '../support/service.js';
import { SubmissionClient } from '../support/submission-client.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const message = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'x', text: 'x' };

let redis: PrivateRedis;
let main: TestService;
let cable: TcpProxy;
let smtp: TestService;
let client: TestClient;
let mailer: SubmissionClient;

beforeAll(async () => {
  redis = await PrivateRedis.start();
  main = await TestService.start({ environment: { ROLES: 'api,worker', REDIS_URL: redis.url } });
  cable = await TcpProxy.before(new URL(main.settings.DATABASE_URL));
  const settings = { ...main.settings, DATABASE_URL: cable.through(main.settings.DATABASE_URL) };
  const environment = { ROLES: 'smtp', SUBMISSION_PORT: '0', REDIS_URL: redis.url };
  smtp = await TestService.start({ beside: { settings, mailServer: main.mailServer }, environment });
  client = await main.organization();
  mailer = new SubmissionClient(smtp, client);
});
afterAll(async () => {
  await smtp?.stop();
  await cable?.goDown();
  await main?.stop();
  await redis?.remove();
});

const arrived = (subject: string): number =>
  main.mailServer.messages.filter(({ content }) => content.includes(`Subject: ${subject}\r\n`)).length;

describe('mail over SMTP', () => {
  it('is accepted while Redis hangs, and delivered once', async () => {
    redis.freeze();
    expect(await mailer.send({ ...message, subject: 'frozen' })).toMatchObject({ code: 250 });
    redis.thaw();
    await eventually(() => arrived('frozen') === 1, 30_000);
  });

  it('is refused for now while Postgres is away, and accepted when its client repeats it', async () => {
    const repeated = { ...message, subject: 'repeated', messageId: '<1@acme.example>', date: new Date(0) };
    expect(await mailer.send(message)).toMatchObject({ code: 250 });
    await cable.goDown();
    const refused = await mailer.send(repeated);
    expect(refused.code).toBeGreaterThanOrEqual(400);
    expect(refused.code).toBeLessThan(500);
    await cable.comeUp();
    await eventually(async () => (await mailer.send(repeated)).code === 250, 30_000);
    expect(await mailer.send(repeated)).toMatchObject({ code: 250 });
    await eventually(() => arrived('repeated') === 1, 30_000);
  });

  it('is sent once if several connections bring it at once, as after a reply that got lost', async () => {
    const repeated = { ...message, subject: 'concurrent', messageId: '<2@acme.example>', date: new Date(0) };
    const replies = await Promise.all(Array.from({ length: 5 }, () => mailer.send(repeated)));
    expect(replies.filter(({ code }) => code !== 250 && code !== 451)).toEqual([]);
    expect(await mailer.send(repeated)).toMatchObject({ code: 250 });
    await eventually(() => arrived('concurrent') >= 1, 30_000);
    const { body } = await client.get<{ emails: { subject: string }[] }>('/api/emails');
    expect(body.emails.filter(({ subject }) => subject === 'concurrent')).toHaveLength(1);
  });
});

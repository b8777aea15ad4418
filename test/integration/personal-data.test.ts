import { pino } from 'pino';
import type { SendAnswer } from '../../src/emails/send-answers.js';
import { connectForCommands } from '../../src/redis/connect.js';
import { TestService } from '../support/service.js';

const canaries = {
  address: 'canary-reader@example.com',
  sender: 'canary-sender@acme.example',
  subject: 'canary-subject',
  body: 'canary-body',
  campaign: 'canary-campaign',
  metadata: 'canary-metadata',
};

describe('personal data', () => {
  it('appears in no log line, no metric and no key or value in Redis', async () => {
    let log = '';
    const logger = pino({ level: 'trace' }, { write: (line: string) => void (log += line) });
    const service = await TestService.start({ logger });
    const redis = connectForCommands(service.settings.REDIS_URL);
    try {
      const client = await service.organization();
      service.mailServer.scripts.add('canary-refused@example.com', { phase: 'rcpt', reply: '550 no canary-refused' });
      const email = {
        from: canaries.sender,
        subject: canaries.subject,
        htmlContent: `<p>${canaries.body} <a href="https://example.com/">x</a></p>`,
        campaignId: canaries.campaign,
        metadata: { key: canaries.metadata },
      };
      const { body } = await client.post<SendAnswer>('/api/send', { ...email, to: canaries.address });
      await client.post('/api/send', { ...email, to: 'canary-refused@example.com' });
      await client.post('/api/send', { ...email, to: 'canary-bad address' });
      await client.get(`/api/contacts/${encodeURIComponent(canaries.address)}`);
      await client.get('/api/contacts?search=canary');
      await service.track(body.pixelUrl);
      await service.track(body.links[0]!.trackingUrl);

      const metrics = await (await fetch(`${service.operatorAddress}/metrics`)).text();
      expect(log).toContain('Email sent');
      expect(metrics).toContain('mailbeacon_');
      for (const text of [log, metrics, await dump(redis)]) {
        expect(text).not.toContain('canary');
        expect(text).not.toContain(client.apiKey.slice(-32));
      }
    } finally {
      redis.disconnect();
      await service.stop();
    }
  });
});

/** Every key with its serialised value, the way Redis itself would save it. */
async function dump(redis: ReturnType<typeof connectForCommands>): Promise<string> {
  const keys = await redis.keys('*');
  expect(keys.length).toBeGreaterThan(0);
  const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return keys.join('\n') + values.map((value) => value?.toString('latin1') ?? '').join('\n');
}

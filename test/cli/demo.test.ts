import { join } from 'node:path';
import { jest } from '@jest/globals';
import { DemoClient } from '../../src/cli/demo-client.js';
import { DemoInbox } from '../../src/cli/demo-inbox.js';
import { runDemo } from '../../src/cli/run-demo.js';
import { startInbox, type RunningInbox } from '../../src/embedded/inbox.js';
import { TestService } from '../support/service.js';
import { inTemporaryDirectory } from '../support/temporary-directory.js';

/** One run sends as many emails as the demo does; the others send fewer, but more than the test reads. */
const FEW = 30;
/** The simulated readers do not wait until opens and clicks count as those of people. */
const NO_WINDOWS = { ENGAGEMENT_INSTANT_MS: '0', ENGAGEMENT_AROUND_SCANNER_MS: '0' };

async function withService(work: (service: TestService, inbox: RunningInbox) => Promise<void>): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const inbox = await startInbox(join(directory, 'inbox'), join(directory, 'inbox.log'));
    const environment = {
      ...NO_WINDOWS,
      SMTP_URL: inbox.smtpUrl,
      BOUNCE_DOMAIN: 'bounces.test',
      BOUNCE_SMTP_PORT: '0',
    };
    const service = await TestService.start({ environment }).catch(async (error: unknown) => {
      await inbox.stop();
      throw error;
    });
    await inbox.returnBouncesTo(service.settings.BOUNCE_SMTP_PORT!);
    await work(service, inbox).finally(() => service.stop().finally(() => inbox.stop()));
  });
}

/** The output of the demo. */
async function demo(client: DemoClient, inbox: DemoInbox | undefined, audience?: number): Promise<string> {
  const lines: string[] = [];
  const log = jest.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const table = jest
    .spyOn(console, 'table')
    .mockImplementation((rows: object[]) => void lines.push(...rows.map((row) => JSON.stringify(row))));
  await runDemo(client, inbox, 0, audience).finally(() => [log, table].forEach((spy) => spy.mockRestore()));
  return lines.join('\n');
}

/** The broadcast of the demo, from its template to the opens and clicks of its copies. */
function expectBroadcast(output: string, audience = 300): void {
  expect(output).toContain('Template "Demo invitation" with the variables name, seat');
  expect(output).toContain(
    `Recipients: ${audience} added, 1 repeated, 1 invalid (line ${audience + 3}: to must be one`,
  );
  expect(output).toContain(`  ${audience} of ${audience} sent`);
  expect(output).toContain(`{"recipients":${audience},"sent":${audience},"failed":0,"suppressed":0}`);
  expect(output).toContain('{"opens":24,"clicks":8,"by people":32}');
  expect(output).toMatch(/"recipient":"guest\d+@readers.example","subject":"Guest \d+, your seat is \w+","opens":1,/);
}

describe('npm run demo', () => {
  it('shows a bounce, a complaint and an unsubscribe, received through the public listeners, in every run', async () => {
    await withService(async (service, inbox) => {
      const { apiKey } = await service.organization();
      const client = new DemoClient(service.address, apiKey);
      for (const audience of [undefined, FEW]) {
        const output = await demo(client, new DemoInbox(inbox.webUrl), audience);
        expect(output).toContain('{"emails":8,"opens":9,"clicks":9,');
        expect(output).toContain('{"by":"people","opens":7,"clicks":6,"unique opens":4,"unique clicks":3,');
        expect(output).toContain('{"by":"machines","opens":2,"clicks":3,"prefetch":1,"preview":0,"scanner":4,"bot":0}');
        expect(output).toContain('{"bounced":1,"complained":1,"unsubscribed":1}');
        expect(output).toMatch(
          /"recipient":"bounce\+\w+@simulator.example","state":"bounced","status":"5.1.1","reason":"550 5/,
        );
        expect(output).toMatch(/"recipient":"complaint\+\w+@simulator.example","state":"complained"/);
        expect(output).toMatch(/"address":"bounce\+\w+@simulator.example","reason":"bounce","scope":"all"/);
        expect(output).toMatch(/"address":"complaint\+\w+@simulator.example","reason":"complaint","scope":"all"/);
        expect(output).toMatch(/"address":"olive\+\w+@readers.example","reason":"unsubscribe","scope":"marketing"/);
        expect(output).toMatch(/Another email to bounce\+\w+@simulator.example: 422 ./);
        expect(output).toMatch(/leaves out bounce\+\w+@simulator.example \(bounce\)/);
        expectBroadcast(output, audience);
        expect(output).toMatch(/Another newsletter to olive\+\w+@readers.example: 422 ./);
      }
    });
  });

  it('shows only opens and clicks if another server delivers the mail', async () => {
    await withService(async (service) => {
      const { apiKey } = await service.organization();
      const output = await demo(new DemoClient(service.address, apiKey), undefined, FEW);
      expect(output).toContain('{"emails":5,"opens":9,"clicks":9,');
      expect(output).toContain('Simulating no bounces');
      expect(output).not.toContain('Suppressions');
      expectBroadcast(output, FEW);
    });
  });
});

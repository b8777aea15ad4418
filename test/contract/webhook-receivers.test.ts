import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/free-port.js';
import { eventually } from '../support/eventually.js';
import { projectWithUnpackedClient } from '../support/packed-client.js';
import { WebhookBench } from '../webhooks/webhook-bench.js';

let bench: WebhookBench;
let directory: string;
let receiver: ChildProcess | undefined;

beforeAll(async () => {
  bench = await WebhookBench.start({ environment: { WEBHOOK_VERIFY_OWNERSHIP: 'always' } });
  directory = await projectWithUnpackedClient();
});
afterEach(() => void receiver?.kill());
afterAll(async () => {
  await bench?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The command that runs each language's receiver as written. */
const languages: Record<string, { file: string; command: string; parameters: string[] }> = {
  ts: {
    file: 'receiver.ts',
    command: process.execPath,
    parameters: ['--import', './test/support/register-typescript.mjs'],
  },
  python: { file: 'receiver.py', command: 'python3', parameters: [] },
};

async function receiverOf(language: string): Promise<string> {
  const blocks = [...(await readFile('docs/api.md', 'utf8')).matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  return blocks.find(([, name, text]) => name === language && text!.includes('WEBHOOK_SECRET'))![2]!;
}

/** Runs the receiver until it responds. @returns a function that returns what it has printed */
async function start(
  command: string,
  parameters: string[],
  environment: Record<string, string>,
): Promise<() => string> {
  receiver = spawn(command, parameters, {
    env: { ...process.env, NODE_OPTIONS: '', ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  receiver.stdout!.on('data', (chunk) => (printed += String(chunk)));
  const url = `http://127.0.0.1:${environment.PORT}/`;
  await eventually(() => fetch(url, { method: 'POST', body: '{}' }).then(Boolean, () => false));
  return () => printed;
}

async function end(): Promise<void> {
  receiver!.kill();
  await once(receiver!, 'exit');
}

describe('the receivers of docs/api.md', () => {
  for (const [language, { file, command, parameters }] of Object.entries(languages)) {
    // A language that the machine does not have counts as skipped.
    const isInstalled = spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
    (isInstalled ? it : it.skip)(
      `${language}: can be registered, prints what is genuine, refuses what is not`,
      async () => {
        const code = await receiverOf(language);
        expect(code.trim().split('\n').length).toBeLessThan(30);
        await writeFile(join(directory, file), code);
        const words = [...parameters, join(directory, file)];
        const PORT = String(await freePort());
        const url = `http://127.0.0.1:${PORT}/`;
        await start(command, words, { PORT });
        expect((await fetch(url, { method: 'POST', body: '{"type":"EMAIL_SENT"}' })).status).toBe(401);
        const { id, secret } = await bench.webhook(url);
        await end();
        const printed = await start(command, words, { PORT, WEBHOOK_SECRET: secret });
        await bench.send();
        const { id: deliveryId } = await bench.delivery(id, ({ status }) => status === 'delivered');
        await eventually(() => printed().includes(`${deliveryId} {"type":"EMAIL_SENT"`));
        const forged = { 'webhook-id': 'x', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };
        for (const signature of ['v1,AAAA', `v1,${'A'.repeat(43)}=`, '']) {
          const headers = { ...forged, 'webhook-signature': signature };
          const body = '{"type":"ENDPOINT_CHALLENGE","data":{"challenge":"x"}}';
          expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(401);
        }
        await bench.client.delete(`/api/webhooks/${id}`);
        await end();
      },
    );
  }
});

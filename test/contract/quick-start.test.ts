import { execFile, spawnSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.js';
import { startLoneService, type LoneService } from '../support/lone-service.js';
import { projectWithUnpackedClient } from '../support/packed-client.js';

const run = promisify(execFile);
let service: LoneService;
let directory: string;

beforeAll(async () => {
  service = await startLoneService();
  directory = await projectWithUnpackedClient();
});
afterAll(async () => {
  await service?.end();
  await rm(directory, { recursive: true, force: true });
});

/** The command that runs each language's first example as written. */
const languages: Record<string, { file: string; command: string; parameters: string[]; prints: RegExp }> = {
  sh: { file: 'start.sh', command: 'sh', parameters: [], prints: /"emailTrackingId":"[\w-]+".*"name":"Welcome"/s },
  ts: {
    file: 'start.ts',
    command: process.execPath,
    parameters: ['--import', './test/support/register-typescript.mjs'],
    prints: /^sent 0\n$/,
  },
  python: { file: 'start.py', command: 'python3', parameters: [], prints: /^[\w-]{24} 0\n$/ },
};

/** A language that the machine does not have counts as skipped. */
const isInstalled = (command: string): boolean => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

it('the requests of docs/api.md that create a broadcast send it', async () => {
  const blocks = [...(await readFile('docs/api.md', 'utf8')).matchAll(/^```sh\n(.*?)^```$/gms)].map(
    ([, text]) => text!,
  );
  const code = blocks.find((text) => text.includes('api broadcasts'))!.replace(/^export .*$/m, '');
  const env = { ...process.env, MAILBEACON_URL: service.address, MAILBEACON_KEY: service.apiKey, NODE_OPTIONS: '' };
  const { stdout } = await run('sh', ['-c', code], { env, timeout: 30_000 });
  expect(stdout).toMatch(/"added":2,.*"status":"sending",.*"progress":\{"total":2/s);
  const [, id] = /.*"id":"([\w-]+)","version":"[\w-]+","name":"Spring sale"/s.exec(stdout)!;
  await eventually(async () => {
    const headers = { 'x-api-key': service.apiKey };
    const response = await fetch(`${service.address}/api/broadcasts/${id}`, { headers });
    const { status, progress } = (await response.json()) as { status: string; progress: object };
    return (
      status === 'sent' &&
      Object.entries({ total: 2, sent: 2, queued: 0 }).every(([name, count]) => Reflect.get(progress, name) === count)
    );
  }, 60_000);
});

describe('the quick start of docs/api.md', () => {
  for (const [language, { file, command, parameters, prints }] of Object.entries(languages)) {
    (isInstalled(language === 'sh' ? 'curl' : command) ? it : it.skip)(language, async () => {
      const blocks = [...(await readFile('docs/api.md', 'utf8')).matchAll(/^```(\w+)\n(.*?)^```$/gms)];
      const code = blocks.find(([, name, text]) => name === language && !text!.startsWith('export '))![2]!;
      await writeFile(join(directory, file), code);
      const env = { ...process.env, MAILBEACON_URL: service.address, MAILBEACON_KEY: service.apiKey, NODE_OPTIONS: '' };
      const { stdout } = await run(command, [...parameters, join(directory, file)], { env, timeout: 30_000 });
      expect(stdout).toMatch(prints);
    });
  }
});

import { execFile } from 'node:child_process';
import { mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { startLoneService, type LoneService } from '../support/lone-service.js';
import { compiled } from './compiled-project.js';
import { packedClient, projectWithClient } from '../support/packed-client.js';

const run = promisify(execFile);
let project: string;
let service: LoneService;

beforeAll(async () => {
  [project, service] = await Promise.all([projectWithClient(), startLoneService()]);
});
afterAll(async () => {
  await service?.end();
  if (project) await rm(project, { recursive: true, force: true });
});

/** Runs a file of the project with node. @returns what it printed */
async function node(file: string, code: string): Promise<string> {
  await writeFile(join(project, file), code);
  const env = { ...process.env, NODE_OPTIONS: '', MAILBEACON_URL: service.address, MAILBEACON_KEY: service.apiKey };
  return (await run(process.execPath, [join(project, file)], { env, cwd: project, timeout: 60_000 })).stdout;
}

/** The examples of the README in order: each continues the ones before it. */
async function readme(): Promise<string> {
  const text = await readFile('packages/client/README.md', 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!).join('\n');
}

const message = `{ from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', textContent: 'x' }`;
const options = '{ url: process.env.MAILBEACON_URL, apiKey: process.env.MAILBEACON_KEY }';

it('is what npm pack makes: code and types of both kinds, and nothing else', async () => {
  const { stdout } = await run('tar', ['-tf', await packedClient()]);
  const files = stdout.trim().split('\n');
  expect(files).toEqual(expect.arrayContaining(['package/package.json', 'package/README.md', 'package/LICENSE']));
  const others = files.filter(
    (file) => !/^package\/(dist\/(esm|cjs)\/[\w-]+\.(js|d\.ts)|package\.json|README\.md|LICENSE)$/.test(file),
  );
  expect(others).toEqual(['package/dist/cjs/package.json']);
  const { dependencies, peerDependencies } = JSON.parse(
    await readFile(join(project, 'node_modules/mailbeacon/package.json'), 'utf8'),
  ) as Record<string, object>;
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
});

it('runs as an ES module', async () => {
  const code = `import { Mailbeacon, verifyWebhook } from 'mailbeacon';
    const client = new Mailbeacon(${options});
    const { emailTrackingId } = await client.emails.send(${message});
    console.log((await client.emails.get(emailTrackingId)).subject, typeof verifyWebhook);`;
  expect(await node('esm.js', code)).toBe('S function\n');
});

it('runs as CommonJS', async () => {
  const code = `const { Mailbeacon, MailbeaconError } = require('mailbeacon');
    new Mailbeacon(${options}).emails.get('none').catch((error) =>
      console.log(error instanceof MailbeaconError, error.status, error.message));`;
  expect(await node('common.cjs', code)).toBe('true 404 Email not found\n');
});

it('runs every example of its README', async () => {
  const { code } = await transform(await readme(), { loader: 'ts' });
  const received = `
    const call = (body) => receive(new Request('http://x/', { method: 'POST', body }));
    console.log(await (await call('{"type":"ENDPOINT_CHALLENGE","data":{"challenge":"a-b_c"}}')).text());
    process.env.WEBHOOK_SECRET = 'whsec_AAAA';
    console.log((await call('{}')).status);`;
  expect(await node('readme.js', `${code}\n${received}`)).toMatch(
    /^sent 0\nWelcome\n400 \[\n? *\{\n? *field: 'to',.*\} ?\n?\] [\w-]+\na-b_c\n401\n$/s,
  );
});

describe('its types', () => {
  const program = `import { Mailbeacon, verifyWebhook, type Email } from 'mailbeacon';
    const client = new Mailbeacon({ url: 'https://mail.acme.example', apiKey: 'mb_x' });
    export async function subjects(): Promise<string[]> {
      const found: string[] = [];
      for await (const { subject } of client.emails.list({ status: 'failed', limit: 10 })) found.push(subject);
      return found;
    }
    export const one: Promise<Email> = client.emails.get('t');
    export const event = verifyWebhook({ headers: new Headers(), body: '', secret: 'whsec_x' });
    // @ts-expect-error from is missing
    void client.emails.send({ to: 'a@b.c' });
    // @ts-expect-error no email has this status
    client.emails.list({ status: 'lost' });`;

  beforeAll(async () => {
    await mkdir(join(project, 'node_modules/@types'), { recursive: true });
    for (const name of ['@types/node', 'undici-types'])
      await symlink(resolve('node_modules', name), join(project, 'node_modules', name));
    await writeFile(join(project, 'readme.ts'), await readme());
  });

  it.each([
    ['as an ES module in a browser', { module: 'nodenext', lib: ['es2022', 'dom'] }, ['web.ts'], 'esm'],
    ['through a bundler', { module: 'esnext', moduleResolution: 'bundler' }, ['bundled.ts'], 'esm'],
    [
      'as CommonJS in Node, and with the examples of the README',
      { module: 'nodenext', lib: ['es2022'], types: ['node'] },
      ['server.cts', 'readme.ts'],
      'cjs',
    ],
  ])('check %s', async (_, options, files, kind) => {
    await writeFile(join(project, files[0]!), program);
    const { mistakes, checked } = compiled(project, options, files);
    expect(mistakes).toEqual([]);
    const types = join(await realpath(project), 'node_modules/mailbeacon/dist', kind, 'index.d.ts');
    expect(checked).toEqual(expect.arrayContaining([join(project, files[0]!), types]));
  });
});

it('is small: under 10 KB gzipped in a bundle, and little for one who only verifies', async () => {
  const size = async (code: string): Promise<number> => {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: project },
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    });
    return gzipSync(outputFiles[0]!.contents).length;
  };
  expect(await size(`export { Mailbeacon } from 'mailbeacon';`)).toBeLessThan(10_000);
  expect(await size(`export { verifyWebhook } from 'mailbeacon';`)).toBeLessThan(1_500);
});

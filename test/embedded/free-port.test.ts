import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

it('is no port that browsers and fetch refuse', async () => {
  // The highest one of them: https://fetch.spec.whatwg.org/#port-blocking
  const refused = 10_080;
  await expect(fetch(`http://127.0.0.1:${refused}`)).rejects.toMatchObject({ cause: { message: 'bad port' } });
  const script = `
    import crypto from 'node:crypto';
    import { syncBuiltinESMExports } from 'node:module';
    crypto.randomInt = (lowest, end) => (lowest <= ${refused} && ${refused} < end ? ${refused} : lowest);
    syncBuiltinESMExports();
    const { freePort } = await import(${JSON.stringify(join(root, 'src', 'embedded', 'free-port.ts'))});
    console.log(await freePort());`;
  const loader = join(root, 'test', 'support', 'register-typescript.mjs');
  const parameters = ['--import', loader, '--input-type=module', '--eval', script];
  const port = Number(execFileSync(process.execPath, parameters, { encoding: 'utf8', timeout: 60_000 }));
  expect(port).toBeGreaterThan(refused);
});

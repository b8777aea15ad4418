import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';

const DIST = resolve(import.meta.dirname, '..', '..', 'dist');
const SOURCES = resolve(DIST, '..', 'src') + sep;
const PROGRAMS = ['cli/main.js', 'roles/main.js', 'rendering/rendering-thread.js'];

/** All bundled files, the programs first. */
async function bundledFiles(): Promise<string[]> {
  const chunks = (await readdir(join(DIST, 'chunks'))).filter((name) => name.endsWith('.js'));
  return [...PROGRAMS, ...chunks.map((name) => `chunks/${name}`)].map((name) => join(DIST, name));
}

it('maps every bundled module to its source in src/, so that stack traces name it', async () => {
  const mapped = new Set<string>();
  for (const file of await bundledFiles()) {
    const { sources } = JSON.parse(await readFile(`${file}.map`, 'utf8')) as { sources: string[] };
    for (const source of sources) mapped.add(resolve(dirname(file), source));
  }
  expect([...mapped].filter((source) => source.startsWith(DIST) && source.endsWith('.js'))).toEqual([]);
  // Packages bring maps with sources of their own, some of them below a src/ too.
  const own = [...mapped].filter((source) => source.startsWith(SOURCES) && existsSync(source));
  expect(own.length).toBeGreaterThan(500);
});

it('loads none of our modules but the bundled ones', async () => {
  const bundled = new Set(await bundledFiles());
  const loadedElsewhere: string[] = [];
  for (const file of bundled) {
    const code = await readFile(file, 'utf8');
    for (const [, from] of code.matchAll(/^(?:import|export)\b[^'"\n]*["'](\.[^"']+)["'];?$/gm))
      if (!bundled.has(resolve(dirname(file), from!))) loadedElsewhere.push(`${file}: ${from}`);
  }
  expect(loadedElsewhere).toEqual([]);
});

it('is code that V8 can optimize: it gives up no function again and again', async () => {
  const renderOften = `
    import { generateEmailTrackingId } from ${JSON.stringify(join(DIST, 'links/email-tracking-id.js'))};
    import { SigningKeys } from ${JSON.stringify(join(DIST, 'links/signing-keys.js'))};
    import { render } from ${JSON.stringify(join(DIST, 'rendering/rendering-thread.js'))};
    const html = '<p>Read <a href="https://shop.example/x">this</a> and <b>that</b>.</p><br>'.repeat(200);
    const key = { id: 1, secret: Buffer.alloc(32) };
    const emailTrackingId = generateEmailTrackingId(new SigningKeys([key]), Buffer.alloc(12));
    const start = () => new Float64Array(new SharedArrayBuffer(16));
    for (let n = 0; n < 300; n++)
      render({ request: { html, emailTrackingId, baseUrl: 'https://t.example' }, key, start: start() });`;
  const parameters = ['--trace-opt', '--input-type=module', '--eval', renderOften];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { maxBuffer: 64 * 1024 * 1024 });
  expect(stdout.match(/completed optimizing/g)?.length).toBeGreaterThan(10);
  expect((stdout.match(/aborted optimizing/g) ?? []).length).toBeLessThan(20);
});

it('keeps the names of classes that esbuild gives others', async () => {
  const renamed = /= class (_\w+)(?: extends [^{]+)? \{\s*(?:static get name\(\) \{\s*return "(\w+)";)?/g;
  const names: (readonly [given: string, shown: string | undefined])[] = [];
  for (const file of await bundledFiles()) {
    const code = await readFile(file, 'utf8');
    for (const [, given, shown] of code.matchAll(renamed)) names.push([given!, shown]);
  }
  expect(names).toContainEqual(['_LinkScanner', 'LinkScanner']);
  expect(names.filter(([, shown]) => shown === undefined)).toEqual([]);
});

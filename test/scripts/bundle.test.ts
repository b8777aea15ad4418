import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';

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

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const DIST = resolve(import.meta.dirname, '..', '..', 'dist');
const PROGRAMS = ['cli/main.js', 'roles/main.js', 'rendering/rendering-thread.js'];

/** All bundled files, the programs first. */
async function bundledFiles(): Promise<string[]> {
  const chunks = (await readdir(join(DIST, 'chunks'))).filter((name) => name.endsWith('.js'));
  return [...PROGRAMS, ...chunks.map((name) => `chunks/${name}`)].map((name) => join(DIST, name));
}

it('maps every bundled module to its source in src/, so that stack traces name it', async () => {
  const ours = new Set<string>();
  for (const file of await bundledFiles()) {
    const { sources } = JSON.parse(await readFile(`${file}.map`, 'utf8')) as { sources: string[] };
    for (const source of sources) if (!source.includes('node_modules')) ours.add(resolve(dirname(file), source));
  }
  expect([...ours].filter((source) => !source.endsWith('.ts') || !existsSync(source))).toEqual([]);
  expect(ours.size).toBeGreaterThan(500);
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

import console from 'node:console';
import { existsSync, readdirSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';
import { prepare } from '../scripts/prepare.mjs';

// npm run bench [-- NAME …] [--quick]: measures the current sources; without a name, every scenario that compares.
const at = (path) => new URL(path, import.meta.url);
const folders = readdirSync(at('.'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
const scenarios = folders.map(({ name }) => name).filter((name) => existsSync(at(`./${name}/scenario.mjs`)));
const others = folders.map(({ name }) => name).filter((name) => existsSync(at(`./${name}/bench.mjs`)));
const parameters = process.argv.slice(2);
const names = parameters.filter((parameter) => /^[a-z-]+$/.test(parameter) && !parameter.startsWith('-'));

// A separate bench parses its own parameters.
const isOwn = others.includes(names[0]);
if (!isOwn && names.some((name) => !scenarios.includes(name))) {
  console.error(`Usage: npm run bench -- [${[...scenarios, ...others].join(' | ')}] [--quick]`);
  process.exit(1);
}
await prepare();
if (isOwn) await import(at(`./${names[0]}/bench.mjs`).href);
else await compare(names.length > 0 ? names : scenarios);

async function compare(chosen) {
  const { Services } = await import('./framework/services.mjs');
  const { environment, keep, print } = await import('./framework/report.mjs');
  const [quick, long] = ['--quick', '--long'].map((flag) => parameters.includes(flag));
  console.log(environment());
  for (const name of chosen) {
    console.error(`${name} …`);
    const { run } = await import(at(`./${name}/scenario.mjs`).href);
    const services = await Services.start();
    try {
      const result = await run({ services, quick, long });
      print(result);
      keep(name, result, quick);
    } finally {
      await services.close();
    }
  }
}

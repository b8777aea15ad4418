import { existsSync, readdirSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';
import console from 'node:console';
import { prepare } from '../scripts/prepare.mjs';

// npm run bench -- NAME: runs bench/NAME/bench.mjs against the current sources.
const [name = ''] = process.argv.slice(2);
const script = new URL(`./${name}/bench.mjs`, import.meta.url);
if (!/^[a-z-]+$/.test(name) || !existsSync(script)) {
  const names = readdirSync(new URL('.', import.meta.url), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  console.error(`Usage: npm run bench -- ${names.map((entry) => entry.name).join(' | ')}`);
  process.exit(1);
}
await prepare();
await import(script.href);

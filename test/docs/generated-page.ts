import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const docs = join(import.meta.dirname, '..', '..', 'docs');

/** Holds a page of docs/ against what the code says; `npm run docs` writes it instead. */
export async function expectPage(name: string, expected: string): Promise<void> {
  const file = join(docs, name);
  if (process.env['UPDATE_DOCS']) await writeFile(file, expected);
  const page = await readFile(file, 'utf8').catch(() => '');
  if (page !== expected) throw new Error(`docs/${name} is not what the code says: run npm run docs`);
}

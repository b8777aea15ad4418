import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const project = join(import.meta.dirname, '..', '..');

/** Compares a page of docs/ with the code; `npm run docs` writes it instead. */
export async function expectPage(name: string, expected: string): Promise<void> {
  await expectFile(`docs/${name}`, expected);
}

/** The same for any file that is made from the code. @param path from the project's folder */
export async function expectFile(path: string, expected: string): Promise<void> {
  const file = join(project, path);
  if (process.env['UPDATE_DOCS']) await writeFile(file, expected);
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text !== expected) throw new Error(`${path} differs from the code: run npm run docs`);
}

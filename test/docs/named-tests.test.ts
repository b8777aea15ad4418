import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/*
 * Pages say which test shows what they claim. A test that is moved or deleted must not leave a claim that nothing
 * shows.
 */

const root = join(import.meta.dirname, '..', '..');
const below = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));

const tests = below('test');
const pages = [
  'README.md',
  'SECURITY.md',
  ...below('docs').filter((name) => name.endsWith('.md')),
  ...below('src').filter((name) => name.endsWith('.md')),
];

/**
 * Files and folders of tests that a line names: by path, or, after a path, by the name of a file in the same folder.
 */
function unknownTests(line: string): string[] {
  const unknown: string[] = [];
  let folder: string | undefined;
  for (const [, name] of line.matchAll(/`([\w./-]+)`/g)) {
    const path = name!.replace(/\/$/, '');
    if (path.startsWith('test/')) {
      folder = dirname(path);
      if (!tests.includes(path)) unknown.push(path);
    } else if (path.endsWith('.test.ts') && !isBeside(folder, path)) unknown.push(path);
  }
  return unknown;
}

const isBeside = (folder: string | undefined, name: string): boolean =>
  (folder !== undefined && tests.includes(join(folder, name))) ||
  tests.filter((path) => basename(path) === name).length === 1;

it('the check itself sees a test that is not there, and a name that several have', () => {
  expect(unknownTests('`test/docs/none.test.ts`, `settings.test.ts`')).toEqual(['test/docs/none.test.ts']);
  expect(unknownTests('`none.test.ts`, `settings.test.ts`')).toEqual(['none.test.ts', 'settings.test.ts']);
});

it.each(pages)('%s names tests that exist', (page) => {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  expect(lines.flatMap(unknownTests)).toEqual([]);
});

it('docs/security.md names a test for every attack', () => {
  const rows = readFileSync(join(root, 'docs', 'security.md'), 'utf8')
    .split('\n## ')
    .filter((section) => /^(A stranger|A tenant|Attacks tried)\n/.test(section))
    .flatMap((section) =>
      section
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .slice(2),
    );
  expect(rows.length).toBeGreaterThan(40);
  expect(rows.filter((row) => !/`[\w./-]*test[\w./-]*`[^|]*\|$/.test(row))).toEqual([]);
});

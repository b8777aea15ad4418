import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const SOURCES = join(import.meta.dirname, '..', '..', 'src');

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const textOf = new Map(files.map((file) => [file, readFileSync(join(SOURCES, file), 'utf8')]));

/** Imports of types count: a cycle of them couples two files as closely. */
function importsOf(file: string): string[] {
  const specifiers = textOf.get(file)!.matchAll(/^(?:import|export)\s[^;]*?['"](\.\.?\/[^'"]+)\.js['"]/gms);
  return [...specifiers].map(([, specifier]) => `${normalize(join(dirname(file), specifier!))}.ts`);
}

/** @returns the first cycle of imports, file by file */
function findCircle(): string[] | undefined {
  const finished = new Set<string>();
  const path: string[] = [];
  const walk = (file: string): string[] | undefined => {
    if (finished.has(file)) return undefined;
    const seenAt = path.indexOf(file);
    if (seenAt !== -1) return [...path.slice(seenAt), file];
    path.push(file);
    for (const next of importsOf(file)) {
      const circle = walk(next);
      if (circle) return circle;
    }
    path.pop();
    finished.add(file);
    return undefined;
  };
  for (const file of files) {
    const circle = walk(file);
    if (circle) return circle;
  }
  return undefined;
}

it('no files import each other in a circle', () => {
  expect(files.flatMap(importsOf).length).toBeGreaterThan(files.length);
  expect(findCircle()).toBeUndefined();
});

it('no two files export the same name', () => {
  const filesByName = new Map<string, string[]>();
  for (const [file, text] of textOf) {
    const exported =
      /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
    for (const name of new Set([...text.matchAll(exported)].map(([, found]) => found!)))
      filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
  }
  expect(filesByName.size).toBeGreaterThan(files.length);
  expect([...filesByName].filter(([, exporters]) => exporters.length > 1)).toEqual([]);
});

it('src/ has few folders with descriptive names', () => {
  expect(readdirSync(SOURCES).length).toBeLessThanOrEqual(18);
});

it('only entities, and what lists them for migrations, load entities: TypeORM takes 10 MB of a process', () => {
  const isEntity = (file: string): boolean => file.endsWith('.entity.ts');
  const loads = /^(?:import|export) (?!type\b)[^;]*?\.entity\.js'/gm;
  const loading = [...textOf].filter(([file, text]) => !isEntity(file) && loads.test(text)).map(([file]) => file);
  expect(loading).toEqual(['roles/entities.ts']);
});

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAM = 'node_modules/openapi-typescript/bin/cli.js';
const OPTIONS = [
  '--root-types',
  '--root-types-no-schema-prefix',
  '--root-types-keep-casing',
  '--empty-objects-unknown',
  '--default-non-nullable=false',
];
const HEAD = `// Written by npm run docs from /openapi.json; a test keeps it true.
`;

type Node = Record<string, unknown>;

/** The types of the client library for a description of the API. */
export async function clientTypes(document: Node): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  try {
    const [input, output] = [join(directory, 'openapi.json'), join(directory, 'api-types.ts')];
    await writeFile(input, JSON.stringify(essential(document)));
    await run(process.execPath, [PROGRAM, input, '--output', output, ...OPTIONS], { env: withoutNodeOptions() });
    const text = await readFile(output, 'utf8');
    return HEAD + text.slice(text.indexOf('export interface paths'));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function withoutNodeOptions(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_OPTIONS: '' };
}

/**
 * The parts of the description that the library needs: it has one class for all errors, sends headers by itself, and is
 * no client of the routes that other systems call. Examples are in /docs.
 */
function essential(document: Node): Node {
  const paths = mapValues(document.paths as Node, (methods) =>
    Object.fromEntries(
      Object.entries(methods as Record<string, Node>)
        .filter(([, { security }]) => security === undefined)
        .map(([method, operation]) => [method, withoutExtras(operation)]),
    ),
  );
  const used = Object.fromEntries(Object.entries(paths).filter(([, methods]) => Object.keys(methods as Node).length));
  const { schemas } = document.components as { schemas: Node };
  const names = reachable(used, schemas);
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => names.has(name)));
  return withoutExamples({
    openapi: document.openapi,
    info: document.info,
    paths: used,
    components: { schemas: kept },
  }) as Node;
}

function withoutExtras({ parameters, responses, ...operation }: Node): Node {
  const successes = Object.entries(responses as Record<string, Node>).filter(([status]) => Number(status) < 400);
  return {
    ...operation,
    parameters: ((parameters ?? []) as Node[]).filter((parameter) => parameter.in !== 'header'),
    responses: Object.fromEntries(successes.map(([status, response]) => [status, { ...response, headers: undefined }])),
  };
}

/** The schemas that something refers to, and those that they refer to. `FieldProblem` is part of every error. */
function reachable(paths: Node, schemas: Node): Set<string> {
  const found = new Set(['FieldProblem']);
  const search = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name!)) continue;
      found.add(name!);
      search(schemas[name!]);
    }
  };
  search(paths);
  return found;
}

function withoutExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExamples);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, entry]) => key !== 'examples' || !Array.isArray(entry));
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutExamples(entry)]));
}

function mapValues(values: Node, change: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

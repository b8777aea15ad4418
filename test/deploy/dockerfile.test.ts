import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { readSettings } from '../../src/platform/config/settings.js';
import { variables } from '../../src/platform/config/setting-definitions.js';

const project = join(import.meta.dirname, '..', '..');

/** Variables that Node itself reads. */
const OF_NODE = new Set(['NODE_ENV', 'UV_THREADPOOL_SIZE']);

describe('Dockerfile', () => {
  let lines: string[];
  let last: string[];
  beforeAll(async () => {
    lines = (await readFile(join(project, 'Dockerfile'), 'utf8')).replace(/\\\n\s*/g, '').split('\n');
    last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  });

  it('copies only files that exist', async () => {
    const sources = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(sources).toContain('src');
    for (const source of sources) await expect(stat(join(project, source))).resolves.toBeDefined();
  });

  it('copies what the scripts that it copies import', async () => {
    const copied = lines.flatMap((line) => line.match(/\bscripts\/[\w-]+\.mjs\b/g) ?? []);
    expect(copied).toContain('scripts/bundle.mjs');
    for (const script of copied) {
      const code = await readFile(join(project, script), 'utf8');
      const imported = [...code.matchAll(/\bfrom '\.\/([\w-]+\.mjs)'/g)].map(([, name]) => `scripts/${name}`);
      expect(copied).toEqual(expect.arrayContaining(imported));
    }
  });

  it('starts from images by digest: an LTS line of Node, and the Debian that it is built for', () => {
    const images = lines.flatMap((line) => /^ARG (?:NODE|DEBIAN)_IMAGE=(.*)/.exec(line)?.[1] ?? []);
    expect(images).toEqual([
      expect.stringMatching(/^node:(22|24|26)\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/),
      expect.stringMatching(/^debian:bookworm-slim@sha256:[0-9a-f]{64}$/),
    ]);
    expect(lines.filter((line) => line.startsWith('FROM '))).toEqual([
      'FROM ${NODE_IMAGE} AS build',
      'FROM ${DEBIAN_IMAGE}',
    ]);
  });

  it('does not run as root, by a number that Kubernetes can check', () => {
    expect(last).toContain('USER 1000:1000');
  });

  it('sets only existing settings, each to a valid value', () => {
    const pairs = last.filter((line) => line.startsWith('ENV ')).flatMap((line) => line.slice(4).trim().split(/\s+/));
    const environment = Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
    expect(environment).toMatchObject({ NODE_ENV: 'production', OPERATOR_PORT: '9464' });
    const settings = Object.fromEntries(Object.entries(environment).filter(([name]) => !OF_NODE.has(name)));
    expect(Object.keys(settings).filter((name) => !(name in variables))).toEqual([]);
    expect(() => readSettings(settings)).not.toThrow();
    expect(last).toContain(`EXPOSE ${settings['PORT']} ${settings['OPERATOR_PORT']}`);
  });

  it('checks the health of the container with the readiness route, in JavaScript that Node runs', () => {
    const check = last.find((line) => line.startsWith('HEALTHCHECK '))!;
    const command = JSON.parse(check.slice(check.indexOf('CMD ') + 4)) as string[];
    expect(command.slice(0, 2)).toEqual(['node', '-e']);
    expect(command[2]).toContain('/health/ready');
    expect(() => new Script(command[2]!)).not.toThrow();
  });
});

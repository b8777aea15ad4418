import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { variables } from '../../src/platform/config/setting-definitions.js';

const folder = join(import.meta.dirname, '..', '..', 'deploy', 'kubernetes');
const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

interface PodSpec {
  readonly containers?: readonly {
    readonly envFrom: readonly { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  }[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { name: string };
  readonly spec?: PodSpec & { readonly template?: { readonly spec: PodSpec } };
}

/** The lines of the commands that install Mailbeacon. */
async function installation(): Promise<string[]> {
  return /```sh\n([^]*?)```/.exec(await read('README.md'))![1]!.split('\n');
}

/** What a command of the README applies. */
async function appliedBy(command: string): Promise<Manifest[]> {
  const [, named] = / ([\w.-]+\.yaml)/.exec(command) ?? [];
  const { resources } = parse(await read('kustomization.yaml')) as { resources: string[] };
  const names = named === undefined ? resources : [named === 'your-secret.yaml' ? 'secret.example.yaml' : named];
  const texts = await Promise.all(names.map(read));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

function neededBy({ spec }: Manifest): string[] {
  const { containers = [] } = spec?.template?.spec ?? spec ?? {};
  return containers.flatMap(({ envFrom }) =>
    envFrom.map(({ configMapRef, secretRef }) =>
      configMapRef ? `ConfigMap ${configMapRef.name}` : `Secret ${secretRef!.name}`,
    ),
  );
}

describe('the commands of the README', () => {
  it('apply every ConfigMap and Secret before the pods that need it', async () => {
    const applied = new Set<string>();
    const started: string[] = [];
    for (const command of await installation()) {
      if (!/kubectl.* (?:apply|create) -[fk] /.test(command)) continue;
      const manifests = await appliedBy(command);
      for (const { kind, metadata } of manifests) applied.add(`${kind} ${metadata.name}`);
      for (const manifest of manifests) {
        const needed = neededBy(manifest);
        expect([manifest.metadata.name, needed.filter((name) => !applied.has(name))]).toEqual([
          manifest.metadata.name,
          [],
        ]);
        if (needed.length > 0) started.push(manifest.metadata.name);
      }
    }
    expect(started).toEqual(expect.arrayContaining(['mailbeacon-migrate', 'mailbeacon-commands', 'mailbeacon-api']));
  });

  it('wait long enough for a node that has to pull the image', async () => {
    const waiting = (await installation()).filter((command) => command.includes(' wait '));
    expect(waiting).toHaveLength(2);
    for (const command of waiting) expect(command).toContain('--timeout=10m');
  });
});

/** Settings with the address of a service that may be private, in the order of the rule. */
const PRIVATE_SERVICES = ['REDIS_SENTINELS', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'EVENT_STORE_URL', 'OIDC_ISSUER'] as const;

it('the network policy has a rule to enable for each private service that it blocks', async () => {
  const commented = /^ {4}# - to:\n(?: {4}# .*\n)+/m.exec(await read('network-policy.yaml'))![0];
  const [rule] = parse(commented.replaceAll('    # ', '')) as { to: unknown[]; ports: { port: number }[] }[];
  const ports = PRIVATE_SERVICES.map((name) => Number(/:(\d+)/.exec(String(variables[name].example))?.[1] ?? 443));
  expect(rule!.ports.map(({ port }) => port)).toEqual(ports);
  expect(rule!.to).toHaveLength(1);
});

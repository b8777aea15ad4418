import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { readSettings } from '../../src/platform/config/settings.js';

const folder = join(import.meta.dirname, '..', '..', 'deploy', 'kubernetes');
const MIB = 1024 ** 2;
/** Two passwords are hashed at a time, and each hash takes 128 MB beside the heap. */
const HASHES = 2 * 128 * MIB;

interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
}
interface Volume {
  readonly name: string;
  readonly emptyDir?: { readonly sizeLimit: string };
}
interface Claim {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly resources: { readonly requests: { readonly storage: string } } };
}
interface Workload {
  readonly spec?: {
    readonly template?: {
      readonly spec: { readonly containers: readonly [Container]; readonly volumes?: readonly Volume[] };
    };
    readonly volumeClaimTemplates?: readonly Claim[];
  };
}

/** The workloads of the roles: those whose heap is set. */
async function workloads(): Promise<Required<Workload>['spec'][]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const documents = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Workload));
  const found = documents.flatMap(({ spec }) => (spec?.template?.spec.containers[0].env ? [spec] : []));
  expect(found).toHaveLength(6);
  return found;
}

/** @param quantity like `256Mi` or `10Gi` */
function bytesOf(quantity: string): number {
  const [, number, unit] = /^(\d+)([MG])i$/.exec(quantity)!;
  return Number(number) * (unit === 'M' ? MIB : 1024 * MIB);
}

function settingOf({ env = [] }: Container, wanted: string): string | undefined {
  return env.find(({ name }) => name === wanted)?.value;
}

it('each limit of memory has room for the heap, and for what is not in it', async () => {
  for (const { template } of await workloads()) {
    const [container] = template!.spec.containers;
    const heap = Number(/=(\d+)$/.exec(settingOf(container, 'NODE_OPTIONS')!)![1]) * MIB;
    const others = container.name === 'api' ? HASHES : 0;
    const share = heap / (bytesOf(container.resources.limits.memory) - others);
    expect([container.name, share <= 0.75]).toEqual([container.name, true]);
  }
});

it('each spool is full before its volume is', async () => {
  for (const { template, volumeClaimTemplates = [] } of await workloads()) {
    const [container] = template!.spec.containers;
    const volume = template!.spec.volumes?.find(({ name }) => name === 'spool')?.emptyDir?.sizeLimit;
    const claim = volumeClaimTemplates.find(({ metadata }) => metadata.name === 'spool');
    const size = volume ?? claim?.spec.resources.requests.storage;
    const writesEvents = !['flusher', 'smtp'].includes(container.name);
    expect([container.name, size !== undefined]).toEqual([container.name, writesEvents]);
    const setting = settingOf(container, 'SPOOL_MAX_BYTES');
    const { SPOOL_MAX_BYTES } = readSettings({ ...(setting !== undefined && { SPOOL_MAX_BYTES: setting }) });
    if (size !== undefined) expect(SPOOL_MAX_BYTES).toBeLessThan(bytesOf(size));
  }
});

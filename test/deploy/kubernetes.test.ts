import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { MAIN_ROLES, readSettings, type Role } from '../../src/platform/config/settings.js';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { variables, type VariableName } from '../../src/platform/config/setting-definitions.js';

const folder = join(import.meta.dirname, '..', '..', 'deploy', 'kubernetes');

interface Container {
  readonly image: string;
  readonly env?: readonly { name: string; value: string }[];
  readonly envFrom: readonly { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  readonly ports: readonly { name: string; containerPort: number }[];
  readonly volumeMounts: readonly { name: string; mountPath: string }[];
  readonly securityContext: object;
  readonly resources: { limits: { memory: string } };
  readonly [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
}
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: { runAsNonRoot: boolean; runAsUser: number };
  readonly containers: readonly [Container];
  readonly volumes?: readonly { name: string }[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { name: string };
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
  readonly spec?: {
    readonly template?: { metadata: { labels: Record<string, string> }; spec: Pod };
    readonly selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>;
    readonly volumeClaimTemplates?: readonly { metadata: { name: string } }[];
    readonly maxUnavailable?: number;
    readonly unhealthyPodEvictionPolicy?: string;
    readonly rules?: readonly {
      http: { paths: readonly { path: string; backend: { service: { name: string } } }[] };
    }[];
  };
}
/** The four that always run, and those that operators add. */
const ALL_ROLES: readonly Role[] = [...MAIN_ROLES, 'bounces', 'smtp'];
const BY_HAND = ['migrate.yaml', 'commands.yaml', 'secret.example.yaml', 'bounces.yaml', 'smtp.yaml'];
/** They spool on volumes that outlive the pod. */
const EDGES: readonly Role[] = ['tracking', 'bounces'];

let files: string[];
let all: Manifest[];
beforeAll(async () => {
  files = (await readdir(folder)).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const documents = texts.flatMap((text) => parseAllDocuments(text, { strict: true, uniqueKeys: true }));
  for (const document of documents) expect(document.errors).toEqual([]);
  all = documents.map((document) => document.toJS() as Manifest);
});

const find = (kind: string, name: string): Manifest => {
  const found = all.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (!found) throw new Error(`There is no ${kind} ${name}`);
  return found;
};
const workload = (role: Role) => find(EDGES.includes(role) ? 'StatefulSet' : 'Deployment', `mailbeacon-${role}`);
const podOf = (role: Role): Pod => workload(role).spec!.template!.spec;

/** The environment of a container: of the image, the ConfigMap, the Secrets, and the container itself. */
async function environmentOf({ env = [], envFrom }: Container): Promise<Record<string, string>> {
  const sources = envFrom.map(({ configMapRef, secretRef }) =>
    configMapRef ? find('ConfigMap', configMapRef.name).data : find('Secret', secretRef!.name).stringData,
  );
  const own = env.map(({ name, value }) => [name, value] as const);
  return withOwnSecrets(
    Object.assign(await imageEnvironment(), ...sources, Object.fromEntries(own)) as Record<string, string>,
  );
}

/** The published examples are refused: operators replace them with their own secrets. */
function withOwnSecrets(environment: Record<string, string>): Record<string, string> {
  const own: Record<string, string> = { ENCRYPTION_KEYS: newEncryptionKey('own'), OPERATOR_PASSWORD: 'own-password' };
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      const published = name in own && variables[name as VariableName].isPublished?.(value);
      return [name, published ? own[name]! : value];
    }),
  );
}

async function imageEnvironment(): Promise<Record<string, string>> {
  const text = await readFile(join(folder, '..', '..', 'Dockerfile'), 'utf8');
  const block = /^ENV ((?:.*\\\n)*.*)$/m.exec(text)![1]!;
  return Object.fromEntries(
    [...block.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value] as [string, string]),
  );
}

describe.each(ALL_ROLES)('the role %s on Kubernetes', (role) => {
  it('has valid settings, and no more secrets than it needs', async () => {
    const ofPod = await environmentOf(podOf(role).containers[0]);
    const { NODE_ENV, UV_THREADPOOL_SIZE, NODE_OPTIONS, ...environment } = ofPod;
    expect([NODE_ENV, UV_THREADPOOL_SIZE]).toEqual(['production', '16']);
    expect(NODE_OPTIONS).toMatch(/^--max-old-space-size=\d+$/);
    expect(Object.keys(environment).filter((name) => !(name in variables))).toEqual([]);
    const settings = readSettings({ BOUNCE_DOMAIN: 'bounces.example.com', ...environment });
    expect(settings.ROLES).toEqual([role]);
    const keepsSecrets = role === 'api' || role === 'worker';
    expect(settings.ENCRYPTION_KEYS !== undefined).toBe(keepsSecrets);
    expect(settings.SMTP_URL !== undefined).toBe(keepsSecrets);
    expect(new URL(settings.DATABASE_URL!).username).toBe(`mailbeacon_${role}`);
    expect(new URL(settings.REDIS_URL!).username).toBe(`mailbeacon_${role}`);
  });

  it('is probed where it responds, and ends after it has drained', async () => {
    const pod = podOf(role);
    const [container] = pod.containers;
    const { DELIVERY_TIMEOUT_MS, PORT, OPERATOR_PORT } = readSettings(await imageEnvironment());
    expect(container.ports).toEqual([
      { name: 'http', containerPort: PORT },
      { name: 'operators', containerPort: OPERATOR_PORT },
      ...(role === 'bounces' ? [{ name: 'smtp', containerPort: 2525 }] : []),
      ...(role === 'smtp' ? [{ name: 'smtp', containerPort: 2587 }] : []),
    ]);
    expect(container.livenessProbe!.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(container.startupProbe!.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(container.readinessProbe!.httpGet).toEqual({ path: '/health/ready', port: 'http' });
    // Time to keep serving while balancers notice, and to record the last outcomes: 15 s in addition.
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(DELIVERY_TIMEOUT_MS + 15_000);
  });

  it('has no rights and writes only to volumes', async () => {
    const pod = podOf(role);
    const [container] = pod.containers;
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const claims = workload(role).spec!.volumeClaimTemplates ?? [];
    const volumes = [...(pod.volumes ?? []).map(({ name }) => name), ...claims.map(({ metadata }) => metadata.name)];
    expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual(volumes.sort());
    const { SPOOL_DIRECTORY } = readSettings(await imageEnvironment());
    const spools = container.volumeMounts.some(({ mountPath }) => mountPath === SPOOL_DIRECTORY);
    expect(spools).toBe(role !== 'flusher' && role !== 'smtp');
  });

  it('keeps serving while a node is drained', () => {
    const { selector, maxUnavailable, unhealthyPodEvictionPolicy } = find(
      'PodDisruptionBudget',
      `mailbeacon-${role}`,
    ).spec!;
    expect([maxUnavailable, unhealthyPodEvictionPolicy]).toEqual([1, 'AlwaysAllow']);
    expect(workload(role).spec!.template!.metadata.labels).toMatchObject(selector!.matchLabels!);
    expect(workload(role).spec!.selector!.matchLabels).toEqual(workload(role).spec!.template!.metadata.labels);
  });
});

describe('the manifests together', () => {
  it('contain only published secrets, which no process accepts', () => {
    const shown = { ...find('Secret', 'mailbeacon').stringData, ...find('Secret', 'mailbeacon-keys').stringData };
    for (const name of ['OPERATOR_PASSWORD', 'ENCRYPTION_KEYS'] as const) {
      expect(variables[name].isPublished?.(shown[name]!)).toBe(true);
    }
  });

  it('let workers call public addresses, and of private ones only the services that they use', () => {
    const policy = find('NetworkPolicy', 'mailbeacon-egress').spec as unknown as {
      egress: { to?: { ipBlock?: { cidr: string; except?: string[] } }[]; ports?: { port: number }[] }[];
    };
    const open = policy.egress.filter(({ ports }) => ports === undefined);
    expect(open.flatMap(({ to = [] }) => to.map(({ ipBlock }) => ipBlock!.cidr)).sort()).toEqual(['0.0.0.0/0', '::/0']);
    const closed = open.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock!.except ?? []));
    for (const range of [
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '169.254.0.0/16',
      '100.64.0.0/10',
      'fc00::/7',
      'fe80::/10',
    ])
      expect(closed).toContain(range);
    const ports = policy.egress.flatMap(({ ports = [] }) => ports.map(({ port }) => port));
    expect(new Set(ports)).toEqual(new Set([53, 5432, 6379, 25, 465, 587]));
  });

  it('are all in the kustomization, except those that are applied by hand', async () => {
    const { resources } = parse(await readFile(join(folder, 'kustomization.yaml'), 'utf8')) as { resources: string[] };
    expect([...resources].sort()).toEqual(files.filter((name) => !BY_HAND.includes(name)).sort());
  });

  it('migrate with the same image', () => {
    const [container] = find('Job', 'mailbeacon-migrate').spec!.template!.spec.containers;
    expect(container.image).toBe(podOf('api').containers[0].image);
    expect(container).toMatchObject({ command: ['node', 'dist/cli/main.js', 'migrate'] });
  });

  it('route tracking to the tracking pods and the rest to the API', () => {
    const paths = find('Ingress', 'mailbeacon').spec!.rules![0]!.http.paths;
    expect(paths.map(({ path, backend }) => [path, backend.service.name])).toEqual([
      ['/api/t/', 'mailbeacon-tracking'],
      ['/', 'mailbeacon-api'],
    ]);
    for (const { backend } of paths) {
      const selector = find('Service', backend.service.name).spec!.selector as Record<string, string>;
      expect(workload(selector['app.kubernetes.io/component'] as Role).spec!.template!.metadata.labels).toMatchObject(
        selector,
      );
    }
  });
});

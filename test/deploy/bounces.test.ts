import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const project = join(import.meta.dirname, '..', '..');

interface Service {
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
}

describe('the role bounces', () => {
  it('runs with Compose only if its profile is enabled, and listens at the target of port 25', async () => {
    const text = await readFile(join(project, 'docker-compose.yml'), 'utf8');
    const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
    expect(Object.keys(services).filter((name) => services[name]!.profiles)).toEqual(['bounces', 'smtp', 'cli']);
    const { profiles, ports, environment } = services['bounces']!;
    expect(profiles).toEqual(['bounces']);
    expect(ports).toEqual([`25:${environment!['BOUNCE_SMTP_PORT']}`]);
    // Workers write it into mail, and bounces reads it: it comes from .env alone.
    for (const name of ['worker', 'bounces']) expect(services[name]!.environment).not.toHaveProperty('BOUNCE_DOMAIN');
  });

  it('lets mail servers reach its listener on Kubernetes, and nothing else', async () => {
    const text = await readFile(join(project, 'deploy', 'kubernetes', 'bounces.yaml'), 'utf8');
    const manifests = parseAllDocuments(text).map((document) => document.toJS() as { kind: string; spec: object });
    const specOf = (kind: string): object => manifests.find((manifest) => manifest.kind === kind)!.spec;
    const labels = { 'app.kubernetes.io/name': 'mailbeacon', 'app.kubernetes.io/component': 'bounces' };
    const env = expect.arrayContaining([{ name: 'BOUNCE_SMTP_PORT', value: '2525' }]);
    expect(specOf('StatefulSet')).toMatchObject({
      template: { metadata: { labels }, spec: { containers: [{ env }] } },
    });
    expect(specOf('Service')).toEqual({
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      selector: labels,
      ports: [{ name: 'smtp', port: 25, targetPort: 'smtp' }],
    });
    expect(specOf('NetworkPolicy')).toEqual({
      podSelector: { matchLabels: labels },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ port: 'smtp' }] }],
    });
  });
});

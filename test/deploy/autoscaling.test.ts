import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { exportedMetrics } from '../docs/exported-metrics.js';
import { wordsOf } from './promql-words.js';

interface Manifest {
  readonly kind: string;
  readonly metadata: { name: string };
  readonly spec?: {
    readonly scaleTargetRef?: { kind: string; name: string };
    readonly metrics?: readonly { external?: { metric: { name: string } } }[];
  };
}
interface ExternalRule {
  readonly seriesQuery: string;
  readonly metricsQuery: string;
  readonly name: { as: string };
}

const folder = join(import.meta.dirname, '..', '..', 'deploy', 'kubernetes');

let all: Manifest[];
beforeAll(async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  all = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
});

const specOf = (kind: string, name: string) =>
  all.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)?.spec;

describe('the autoscalers', () => {
  it('scale existing deployments, workers and flushers by metrics that the adapter computes from exported ones', async () => {
    const targets = all.flatMap(({ spec }) => (spec?.scaleTargetRef ? [spec.scaleTargetRef] : []));
    expect(targets).toHaveLength(4);
    for (const { kind, name } of targets) {
      expect(specOf(kind, name)).toBeDefined();
      expect(specOf(kind, name)).not.toHaveProperty('replicas');
    }
    const external = all
      .flatMap(({ spec }) => spec?.metrics ?? [])
      .flatMap(({ external: by }) => by?.metric.name ?? []);
    expect(external.sort()).toEqual(['mailbeacon_emails_due', 'mailbeacon_event_stream_lag_seconds']);
    const adapter = await readFile(join(folder, '..', 'prometheus', 'adapter.yml'), 'utf8');
    const { externalRules: rules } = parse(adapter) as { externalRules: ExternalRule[] };
    expect(rules.map(({ name }) => name.as).sort()).toEqual(external);
    const exported = new Set((await exportedMetrics()).map(({ name }) => name));
    for (const { seriesQuery, metricsQuery } of rules)
      for (const name of [seriesQuery, ...wordsOf(metricsQuery).names]) expect(exported).toContain(name);
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { wordsOf } from './promql-words.js';
import { exportedMetrics, type ExportedMetric } from '../docs/exported-metrics.js';

const project = join(import.meta.dirname, '..', '..');
const read = (file: string) => readFile(join(project, file), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { severity: string };
  readonly annotations: { summary: string; runbook: string };
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { x: number; y: number; w: number; h: number };
  readonly targets?: readonly { refId: string; expr: string }[];
}

/** Series that a metric of the product may have, with the labels that scraping adds. */
let series: ReadonlyMap<string, readonly string[]>;
let exported: readonly ExportedMetric[];
let rules: readonly Rule[];
let panels: readonly Panel[];

/** Metrics from other sources: Prometheus itself, and the library's metrics of Node. */
const foreign = [
  'up',
  'nodejs_eventloop_lag_p99_seconds',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
];
const SCRAPED = ['instance', 'job'];

beforeAll(async () => {
  exported = await exportedMetrics();
  const named = exported.flatMap(({ name, type, labels }) => {
    const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    return suffixes.map((suffix) => [name + suffix, [...labels, 'le']] as const);
  });
  series = new Map<string, readonly string[]>([...named, ...foreign.map((name) => [name, []] as const)]);
  rules = (parse(await read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
    (group) => group.rules,
  );
  panels = (JSON.parse(await read('deploy/grafana/mailbeacon.json')) as { panels: Panel[] }).panels;
});

function problemsOf(expr: string): string[] {
  const { names, labels } = wordsOf(expr);
  const known = new Set([...SCRAPED, ...names.flatMap((name) => series.get(name) ?? [])]);
  return [
    ...names.filter((name) => !series.has(name)).map((name) => `no process exports ${name}`),
    ...labels.filter((label) => !known.has(label)).map((label) => `no label ${label}`),
    ...(names.length === 0 ? ['no metric'] : []),
  ];
}

it('the check itself sees a misspelt metric and label', () => {
  expect(problemsOf('sum by (outcom) (rate(mailbeacon_emails_finished_total{outcome="x"}[5m])) > 1')).toEqual([
    'no label outcom',
  ]);
  expect(problemsOf('max(mailbeacon_emails_du)')).toEqual(['no process exports mailbeacon_emails_du']);
});

describe('alert rules', () => {
  it('use metrics that exist', () => {
    expect(rules.length).toBeGreaterThan(15);
    for (const { alert, expr } of rules) expect({ alert, problems: problemsOf(expr) }).toEqual({ alert, problems: [] });
  });

  it('have unique names, a severity, and a text for the person on call', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations, for: lasting } of rules) {
      expect(alert).toMatch(/^Mailbeacon[A-Z]/);
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      if (lasting !== undefined) expect(lasting).toMatch(/^\d+m$/);
    }
  });

  it('last longer than what they look back on, where they have to last: one scrape raises none', () => {
    const minutes = (text = ''): number => Number(/^(\d+)m$/.exec(text)?.[1]);
    const lookingBack = rules.flatMap(({ alert, expr, for: lasting }) => {
      const window = /max_over_time\([^[]+\[(\w+)\]/.exec(expr)?.[1];
      return window && lasting ? [{ alert, lasting: minutes(lasting), window: minutes(window) }] : [];
    });
    expect(lookingBack.length).toBeGreaterThan(1);
    expect(lookingBack.filter(({ lasting, window }) => !(lasting > window))).toEqual([]);
  });

  it('link to existing instructions', async () => {
    const page = await read('docs/operations.md');
    const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
      expect(anchors).toContain(alert.toLowerCase());
    }
    const described = anchors.filter((anchor) => /^mailbeacon[a-z]+$/.test(anchor));
    expect(described.sort()).toEqual(rules.map(({ alert }) => alert.toLowerCase()).sort());
  });
});

describe('the dashboard', () => {
  it('uses metrics that exist', () => {
    const targets = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    expect(targets.length).toBeGreaterThan(30);
    for (const { title, expr } of targets)
      expect({ title, problems: problemsOf(expr) }).toEqual({ title, problems: [] });
  });

  it('shows every metric of the product', () => {
    const shown = new Set(panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => wordsOf(expr).names)));
    const isShown = (name: string): boolean =>
      shown.has(name) || shown.has(`${name}_bucket`) || shown.has(`${name}_count`);
    expect(exported.filter(({ name }) => !isShown(name)).map(({ name }) => name)).toEqual([]);
  });

  it('lays out its panels without overlap, each with a unique id and text', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { title, type, description, gridPos } of panels) {
      if (type !== 'row') expect(description).toBeTruthy();
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          if (taken.has(`${x},${y}`) || x >= 24) throw new Error(`${title} overlaps another panel`);
          taken.add(`${x},${y}`);
        }
      }
    }
  });
});

/** The texts of a summary, with anything in its places for values. */
function filledIn(summary: string): RegExp {
  const texts = summary.split(/\{\{.*?\}\}/).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${texts.join('.+')}$`);
}

it('the scrape example and the unit tests of the rules belong to these rules', async () => {
  const example = parse(await read('deploy/prometheus/prometheus.yml')) as {
    rule_files: string[];
    scrape_configs: { job_name: string }[];
  };
  expect(example.rule_files).toEqual(['alerts.yml']);
  expect(example.scrape_configs[0]!.job_name).toBe('mailbeacon');
  const tests = parse(await read('deploy/prometheus/alerts.test.yml')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: { exp_annotations: Rule['annotations'] }[] }[] }[];
  };
  const cases = tests.tests.flatMap(({ alert_rule_test }) => alert_rule_test);
  for (const { alertname, exp_alerts } of cases) {
    const { summary } = rules.find(({ alert }) => alert === alertname)!.annotations;
    for (const { exp_annotations } of exp_alerts) expect(exp_annotations.summary).toMatch(filledIn(summary));
  }
  const tried = cases.map(({ alertname }) => alertname);
  for (const name of tried) expect(rules.map(({ alert }) => alert)).toContain(name);
  for (const about of ['OrganizationPaused', 'ProviderEventsRefused', 'BouncesRefused', 'DeadLetters'])
    expect(tried).toContain(`Mailbeacon${about}`);
});

import { ROLES } from '../../src/platform/config/settings.js';
import { expectPage } from './generated-page.js';
import { code, markdownTable } from './markdown-table.js';
import { exportedMetrics, type ExportedMetric } from './exported-metrics.js';

const HEAD = `# Metrics

\`GET /metrics\` of the port for operators tells these in Prometheus' text format, beside what Node tells of itself
(\`process_*\`, \`nodejs_*\`: CPU, memory, event loop delay, garbage collection). Labels take values from closed sets: never an
organization, an address, a URL or anything else that a caller makes up. What does not answer within a second has no value.
`;
const FOOT = '`npm run docs` writes this page from the running service; a test keeps it true.\n';

it('docs/metrics.md lists every metric of the roles', async () => {
  const rows = (await exportedMetrics()).map((metric) => [
    code(metric.name),
    metric.type,
    metric.labels.map(code).join(', '),
    rolesOf(metric),
    metric.help,
  ]);
  await expectPage(
    'metrics.md',
    [HEAD, markdownTable(['metric', 'type', 'labels', 'roles', 'tells'], rows), '', FOOT].join('\n'),
  );
});

function rolesOf({ roles }: ExportedMetric): string {
  return roles.length === ROLES.length ? 'all' : roles.join(', ');
}

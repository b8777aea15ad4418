import { ROLES } from '../../src/platform/config/settings.js';
import { expectPage } from './generated-page.js';
import { code, markdownTable } from './markdown-table.js';
import { exportedMetrics, type ExportedMetric } from './exported-metrics.js';

const HEAD = `# Metrics

\`GET /metrics\` on the operator port responds with these metrics in the Prometheus text format, and with Node's own
(\`process_*\`, \`nodejs_*\`: CPU, memory, event loop delay, garbage collection). Values of labels come from fixed sets: never an
organization, an address, a URL or anything else that a caller chooses. A gauge whose source does not respond within a second
is omitted.
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
    [HEAD, markdownTable(['metric', 'type', 'labels', 'roles', 'description'], rows), '', FOOT].join('\n'),
  );
});

function rolesOf({ roles }: ExportedMetric): string {
  return roles.length === ROLES.length ? 'all' : roles.join(', ');
}

import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { npm, project } from './prepare.mjs';

// npm run audit: known vulnerabilities of the packages that run in production. Fails for severe ones. If the registry
// cannot be reached, it prints that and passes: a build without a network must not depend on it.
const FAILING = ['high', 'critical'];

process.chdir(project);
const [program, ...parameters] = npm(['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=60000']);
const { stdout } = spawnSync(program, parameters, { encoding: 'utf8', maxBuffer: 64 << 20 });
const report = parse(stdout);
if (!report?.vulnerabilities) {
  console.log(
    `Skipped: the registry provides no advisories (${report?.message ?? report?.error?.summary ?? 'no response'})`,
  );
} else {
  const found = Object.values(report.vulnerabilities);
  for (const { name, severity, range } of found) console.log(`${severity}: ${name} ${range}`);
  const failing = found.filter(({ severity }) => FAILING.includes(severity));
  console.log(`${found.length} packages with known vulnerabilities, ${failing.length} of them high or critical`);
  process.exitCode = failing.length === 0 ? 0 : 1;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

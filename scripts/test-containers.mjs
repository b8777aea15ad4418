import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { nodeBinary } from './node-binary.mjs';
import { project } from './prepare.mjs';

// npm run test:containers: the Dockerfile and docker-compose.yml, unchanged, on a Docker engine that is unpacked from
// Debian's packages. UPGRADE_FROM names the commit to upgrade from; without it, the last of the version before.
const SETTINGS = [
  // Characters that a URL would have to escape.
  'POSTGRES_PASSWORD=one@two/three:four',
  'TRACKING_DATABASE_PASSWORD=five@six/seven',
  'RATE_LIMIT_PER_MINUTE=50000',
  'SENDGRID_API_KEY=SG.of.containers',
];

process.chdir(project);
const obstacle = findObstacle();
if (obstacle) {
  console.log(`Skipped: ${obstacle}`);
} else {
  process.exitCode = runContainers();
}

function findObstacle() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the packages of the engine are for Linux on x64';
  if (process.getuid() !== 0) return 'only root may create the namespaces of an engine';
  if (!existsSync('/usr/share/keyrings/debian-archive-keyring.gpg'))
    return 'it needs packages of Debian, which this system is not';
  if (!existsSync('/sys/fs/cgroup/memory')) return 'it needs cgroups version 1, which the kernel does not have';
  const probe = spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', '--cgroup', 'true']);
  return probe.status === 0 ? undefined : 'this machine does not allow namespaces';
}

function runContainers() {
  const kept = join(project, '.mailbeacon', 'containers');
  mkdirSync(kept, { recursive: true });
  const work = mkdtempSync(join(kept, 'run-'));
  try {
    const copy = copyOf(join(work, 'project'));
    writeFileSync(join(copy, '.env'), `${SETTINGS.join('\n')}\n`);
    const commit = process.env.UPGRADE_FROM || versionBefore();
    const before = commit === undefined ? '' : archive(commit, join(work, 'before'));
    if (before) writeFileSync(join(before, '.env'), `${SETTINGS.join('\n')}\n`);
    const node = nodeBinary(versionOfImage());
    const environment = { ...process.env, project: copy, before, node, work, kept };
    const script = join(copy, 'test', 'containers', 'containers.sh');
    return spawnSync('bash', [script], { stdio: 'inherit', env: environment }).status ?? 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The files of this checkout that git tracks, in their current state: no .env and no node_modules reach the engine. */
function copyOf(folder) {
  mkdirSync(folder, { recursive: true });
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  const existing = files
    .toString()
    .split('\0')
    .filter((file) => file && existsSync(file));
  execFileSync('tar', ['-cf', `${folder}.tar`, '--null', '--files-from=-'], { input: existing.join('\0') });
  return unpack(folder);
}

function archive(commit, folder) {
  mkdirSync(folder, { recursive: true });
  execFileSync('git', ['archive', `--output=${folder}.tar`, commit]);
  return unpack(folder);
}

function unpack(folder) {
  execFileSync('tar', ['-xf', `${folder}.tar`, '-C', folder]);
  rmSync(`${folder}.tar`);
  return folder;
}

/** The last commit with another version than today's, or nothing if the history does not reach that far. */
function versionBefore() {
  const git = (...parameters) =>
    execFileSync('git', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const version = (text) => JSON.parse(text).version;
  const today = version(readFileSync('package.json', 'utf8'));
  let newer = 'HEAD';
  for (const commit of git('log', '--format=%H', '--', 'package.json').split('\n').filter(Boolean)) {
    if (version(git('show', `${commit}:package.json`)) !== today)
      return newer === 'HEAD' ? newer : git('rev-parse', `${newer}^`).trim();
    newer = commit;
  }
  return undefined;
}

function versionOfImage() {
  return /^ARG NODE_IMAGE=node:([\d.]+)/m.exec(readFileSync('Dockerfile', 'utf8'))[1];
}

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { runsAsRoot } from './account.js';
import { findRedisBinary } from './redis-binary.js';
import { serverEnvironment } from './server-process.js';

const INSTALLATION_DEADLINE_MS = 300_000;

interface PackageManager {
  readonly program: string;
  /** Commands that install Redis or Valkey; each is tried until one leaves a server on the PATH. */
  readonly commands: readonly string[];
  /** Whether it runs only as root. */
  readonly needsRoot: boolean;
}

const APT_OPTIONS = '-o Acquire::Retries=2 -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=120 -qq -y';

const packageManagers: readonly PackageManager[] = [
  {
    program: 'apt-get',
    needsRoot: true,
    commands: [`apt-get ${APT_OPTIONS} update && apt-get ${APT_OPTIONS} install --no-install-recommends redis-server`],
  },
  { program: 'apk', needsRoot: true, commands: ['apk add --no-cache redis', 'apk add --no-cache valkey'] },
  { program: 'dnf', needsRoot: true, commands: ['dnf install -y -q valkey', 'dnf install -y -q redis'] },
  { program: 'brew', needsRoot: false, commands: ['brew install redis'] },
];

/** What to type where we do not install by ourselves. */
const advice: Readonly<Record<string, string>> = {
  'apt-get': 'sudo apt-get install -y redis-server',
  apk: 'doas apk add redis',
  dnf: 'sudo dnf install -y valkey',
  brew: 'brew install redis',
  pacman: 'sudo pacman -S valkey',
  zypper: 'sudo zypper install redis',
};

/**
 * The redis-server or valkey-server to use. Where there is none, it is installed if the package manager allows that
 * without asking anyone: for root, or with Homebrew.
 * @param report takes a line about what is going on, since an installation takes a while
 * @throws EmbeddedServiceError with one line that says what to run, when it cannot be installed
 */
export async function provideRedisBinary(report: (line: string) => void): Promise<string> {
  const present = findRedisBinary();
  if (present !== undefined) return present;
  const manager = packageManagers.find(({ program }) => isOnPath(program));
  if (!manager || manager.needsRoot !== runsAsRoot()) throw missing();
  report(`Installing Redis with ${manager.program} …`);
  let failure = '';
  for (const command of manager.commands) {
    failure = await withoutStartingServices(() => runInShell(command));
    const installed = findRedisBinary();
    if (installed !== undefined) return installed;
  }
  throw missing(failure);
}

function missing(reason = ''): EmbeddedServiceError {
  const manager = Object.keys(advice).find(isOnPath);
  const command = manager && (runsAsRoot() ? advice[manager]?.replace(/^(sudo|doas) /, '') : advice[manager]);
  const remedy = command ? `run: ${command}` : 'install Redis or Valkey 6.2 or newer';
  const cause = reason === '' ? '' : ` and could not be installed (${reason})`;
  return new EmbeddedServiceError(`Redis is missing${cause}: ${remedy}   (or set REDIS_URL)`);
}

function isOnPath(program: string): boolean {
  return (
    spawnSync('/bin/sh', ['-c', `command -v ${program}`], { stdio: 'ignore', env: serverEnvironment() }).status === 0
  );
}

/** Returns the last line printed on standard error, empty when there was none. */
async function runInShell(command: string): Promise<string> {
  const child = spawn('/bin/sh', ['-c', command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1' },
    timeout: INSTALLATION_DEADLINE_MS,
  });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  return errors.trim().split('\n').at(-1) ?? '';
}

/**
 * Debian starts what it installs. A policy file that answers 101 ("action forbidden by policy", invoke-rc.d(8))
 * keeps it from doing so; nobody asked for a Redis on port 6379.
 */
async function withoutStartingServices<Result>(work: () => Promise<Result>): Promise<Result> {
  const policy = '/usr/sbin/policy-rc.d';
  if (!existsSync('/usr/sbin/invoke-rc.d') || existsSync(policy)) return work();
  await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await work();
  } finally {
    await rm(policy, { force: true });
    spawnSync('systemctl', ['disable', '--quiet', 'redis-server'], { stdio: 'ignore' });
  }
}

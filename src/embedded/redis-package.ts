import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canEnter, runsAsRoot, unprivilegedAccount, type Account } from './unix-account.js';
import { runProgram, type ProgramOptions } from './program.js';
import { isOnPath } from './program-search.js';
import { findRedisBinary } from './redis-binary.js';
import { isRunning } from './server-process.js';
import { prepareSystemDirectory, SYSTEM_DIRECTORY } from './service-directory.js';

export interface UnpackOptions {
  /** Called with a line that explains why the start takes longer. */
  readonly report?: (line: string) => void;
  /** Aborts the download and removes its files. */
  readonly signal?: AbortSignal | undefined;
}

const FOLDER = 'redis-package';
/** Followed by the ID of the process that fills it: two may start at the same time. */
const UNFINISHED = `${FOLDER}-unfinished-`;
const DEADLINE_MS = 300_000;
/** redis-server is a symlink to a program of redis-tools. apt adds the libraries that the system lacks. */
const PACKAGES = ['redis-server', 'redis-tools'];
const APT_OPTIONS = ['-qq', '-o', 'Acquire::Retries=2', '-o', 'Acquire::http::Timeout=30'];

/** True on Debian and Ubuntu, where any user can download and unpack packages. */
export function canUnpackRedis(): boolean {
  return isOnPath('apt-get') && isOnPath('dpkg-deb');
}

/**
 * Downloads Debian's Redis and the libraries that the system lacks, and unpacks them below `stateDirectory`. Keeps
 * package lists and cache in a separate folder, so it needs neither root nor the package manager's lock and installs
 * nothing. Redis stays there for the next start.
 * @returns the path of a redis-server
 * @throws Error with the package manager's last line
 */
export async function unpackRedis(stateDirectory: string, options: UnpackOptions): Promise<string> {
  const { report = () => undefined, signal = new AbortController().signal } = options;
  const account = runsAsRoot() ? unprivilegedAccount() : undefined;
  const parent = await reachableParent(stateDirectory, account);
  const programs = join(parent, FOLDER, 'bin');
  const present = findRedisBinary(programs);
  if (present !== undefined) return present;
  report('Downloading Redis into .mailbeacon/ (once; nothing is installed) …');
  await removeUnfinished(parent);
  const unfinished = await mkdtemp(join(parent, `${UNFINISHED}${process.pid}-`));
  try {
    const run = { signal, account, timeoutMs: DEADLINE_MS };
    if (account)
      await runProgram('chown', [`${account.uid}:${account.gid}`, unfinished], { ...run, account: undefined });
    await fill(unfinished, run);
    // Rename the complete folder, so that a concurrent start never sees a partial one. Another process may have
    // finished first.
    if (findRedisBinary(programs) === undefined) await rm(join(parent, FOLDER), { recursive: true, force: true });
    await rename(unfinished, join(parent, FOLDER)).catch((error: unknown) => {
      if (findRedisBinary(programs) === undefined) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  const binary = findRedisBinary(programs);
  if (binary === undefined) throw new Error('the downloaded server does not run');
  return binary;
}

/** Root starts the server under another account, which may not be able to enter the project's folder. */
async function reachableParent(stateDirectory: string, account: Account | undefined): Promise<string> {
  await mkdir(stateDirectory, { recursive: true });
  if (account === undefined || canEnter(stateDirectory, account)) return stateDirectory;
  await prepareSystemDirectory();
  return SYSTEM_DIRECTORY;
}

/** Removes the files of interrupted downloads, but not those of another process that is still downloading. */
async function removeUnfinished(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(UNFINISHED) || isRunning(parseInt(name.slice(UNFINISHED.length)))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}

/** As root, downloads and unpacks under the server's account, so that untrusted data is not processed as root. */
async function fill(directory: string, run: ProgramOptions): Promise<void> {
  const apt = join(directory, 'apt');
  const packages = join(apt, 'packages');
  const folders = ['lists/partial', 'cache', 'log', 'state', 'packages'].map((name) => join(apt, name));
  await runProgram('mkdir', ['-p', ...folders], run);
  for (const file of await download(apt, packages, run)) {
    await runProgram('dpkg-deb', ['-x', join(packages, file), join(directory, 'root')], run);
  }
  await runProgram('rm', ['-rf', apt], run);
  await runProgram('chmod', ['-R', 'a+rX', directory], run); // the server must be able to read it despite the umask
  await mkdir(join(directory, 'bin'));
  await writeFile(join(directory, 'bin', 'redis-server'), LAUNCHER);
  await chmod(join(directory, 'bin', 'redis-server'), 0o755);
  await chmod(directory, 0o755);
}

/** Lets the server find its libraries at any location of the folder. */
const LAUNCHER = `#!/bin/sh
root=$(dirname "$(dirname "$0")")/root
for folder in "$root"/usr/lib/*-linux-* "$root"/lib/*-linux-*; do
  if [ -d "$folder" ]; then LD_LIBRARY_PATH=$folder\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}; fi
done
export LD_LIBRARY_PATH
exec "$root/usr/bin/redis-server" "$@"
`;

/** Returns the file names of the downloaded packages. */
async function download(apt: string, packages: string, run: ProgramOptions): Promise<string[]> {
  const file = join(apt, 'apt.conf');
  await writeFile(file, aptConfiguration(apt));
  const options = { ...run, directory: packages, environment: { ...proxies(), APT_CONFIG: file } };
  await runProgram('apt-get', [...APT_OPTIONS, 'update'], options);
  const simulation = ['--simulate', '--no-install-recommends', 'install', ...PACKAGES];
  const plan = await runProgram('apt-get', [...APT_OPTIONS, ...simulation], options);
  const lacking = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name!);
  await runProgram('apt-get', [...APT_OPTIONS, 'download', ...new Set([...PACKAGES, ...lacking])], options);
  return (await readdir(packages)).filter((name) => name.endsWith('.deb'));
}

function proxies(): Record<string, string> {
  const isProxy = ([name, value]: [string, string | undefined]): boolean =>
    /_proxy$/i.test(name) && value !== undefined;
  return Object.fromEntries(Object.entries(process.env).filter(isProxy)) as Record<string, string>;
}

/** apt reads the file of APT_CONFIG last, so it overrides the system's configuration. It includes the caller's file. */
function aptConfiguration(apt: string): string {
  const own = {
    'Dir::State': join(apt, 'state'),
    'Dir::State::Lists': join(apt, 'lists'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': join(apt, 'cache'),
    'Dir::Log': join(apt, 'log'),
  };
  const callers = process.env['APT_CONFIG'];
  const include = callers === undefined ? '' : `#include "${callers}";\n`;
  return (
    include +
    Object.entries(own)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join('')
  );
}

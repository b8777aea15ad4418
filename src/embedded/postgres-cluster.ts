import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedServiceError } from './embedded-service-error.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { serverEnvironment } from './server-process.js';
import { exists, writeInto, type ServiceHome } from './service-directory.js';

/** Superuser of the cluster and name of its database. */
export const POSTGRES_USER = 'mailbeacon';

/** The files of one PostgreSQL server. */
export interface PostgresCluster {
  readonly dataDirectory: string;
  readonly password: string;
}

/** Creates the cluster in `home` with a random password, unless it exists. */
export async function prepareCluster(binaries: PostgresBinaries, home: ServiceHome): Promise<PostgresCluster> {
  const dataDirectory = join(home.path, 'data');
  const passwordFile = join(home.path, 'password');
  if (!(await exists(dataDirectory))) {
    const unfinished = `${dataDirectory}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await writeInto(home, 'password', randomBytes(24).toString('base64url'));
    await initdb(binaries, home, unfinished, passwordFile);
    // Rename the complete cluster, so that an interrupted first start can simply be repeated.
    await rename(unfinished, dataDirectory);
  }
  return { dataDirectory, password: (await readFile(passwordFile, 'utf8')).trim() };
}

/** UTF-8 with the server's builtin collation, so that data sorts the same on every operating system. */
async function initdb(
  binaries: PostgresBinaries,
  home: ServiceHome,
  dataDirectory: string,
  passwordFile: string,
): Promise<void> {
  const access = [`--username=${POSTGRES_USER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C.UTF-8'];
  try {
    await promisify(execFile)(binaries.initdb, [`--pgdata=${dataDirectory}`, ...access, ...locale], {
      cwd: home.path,
      env: serverEnvironment(),
      ...home.account,
    });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new EmbeddedServiceError(`PostgreSQL could not create its data folder: ${stderr?.trim() || String(error)}`, {
      cause: error,
    });
  }
}

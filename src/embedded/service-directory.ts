import { execFile } from 'node:child_process';
import { chmod, chown, lstat, mkdir, mkdtemp, realpath, rm, rmdir, stat, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { canWriteInto, runsAsRoot, unprivilegedAccount, type Account } from './unix-account.js';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { replaceStateFile } from './state-file.js';

/** Used only by root, for data folders that the unprivileged account cannot reach inside the project. */
export const SYSTEM_DIRECTORY = '/var/lib/mailbeacon';

/** Data folder of an embedded server, and the account that it runs under (undefined: the current one). */
export interface ServiceHome {
  readonly path: string;
  readonly account?: Account;
}

/**
 * Prepares the folder `name` inside `stateDirectory`. If root starts the server, it runs under an unprivileged account.
 * If that account cannot reach the folder (a project below /root), the folder becomes a symlink to a reachable one.
 */
export async function prepareServiceHome(stateDirectory: string, name: string): Promise<ServiceHome> {
  const path = join(stateDirectory, name);
  await prepareStateDirectory(stateDirectory);
  if (!(await exists(path))) {
    await rm(path, { force: true }); // a dangling symlink
    await mkdir(path, { mode: 0o700 });
  }
  if (!runsAsRoot()) return { path: await realpath(path) };
  const account = await ownerOrUnprivileged(path);
  if (!canWriteInto(await realpath(path), account)) await moveToSystemDirectory(path);
  return { path: await realpath(path), account };
}

/**
 * Only the current account can read the folder, but root's servers must be able to traverse it.
 * @throws EmbeddedServiceError if it cannot be made, or belongs to another user
 */
export async function prepareStateDirectory(stateDirectory: string): Promise<void> {
  try {
    await mkdir(stateDirectory, { recursive: true });
    await chmod(stateDirectory, runsAsRoot() ? 0o711 : 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new EmbeddedServiceError(
      code === 'EPERM'
        ? `${stateDirectory} belongs to another user: start as that user, or remove it`
        : `${stateDirectory} cannot be made (${code}): start in a folder that you may write to`,
    );
  }
}

/** Keeps the ownership of an ordinary user's data when root starts the project. */
async function ownerOrUnprivileged(path: string): Promise<Account> {
  const { uid, gid } = await stat(path);
  if (uid !== 0) return { uid, gid };
  const account = unprivilegedAccount();
  await chown(path, account.uid, account.gid);
  return account;
}

async function moveToSystemDirectory(path: string): Promise<void> {
  if ((await lstat(path)).isSymbolicLink())
    throw new EmbeddedServiceError(`${path} points to a folder where the server cannot write`);
  await prepareSystemDirectory();
  const reachable = await mkdtemp(join(SYSTEM_DIRECTORY, `${basename(path)}-`));
  await rmdir(reachable); // only the unique name is needed
  // Use mv instead of rename(2): the folders may be on different file systems, and ownership must be kept.
  await promisify(execFile)('mv', [path, reachable]);
  await symlink(reachable, path);
}

/** Every account can traverse the folder, but only root can read it. */
export async function prepareSystemDirectory(): Promise<void> {
  await mkdir(SYSTEM_DIRECTORY, { recursive: true });
  await chmod(SYSTEM_DIRECTORY, 0o711);
}

/** Writes a file that only the server's account can read. */
export function writeInto(home: ServiceHome, name: string, content: string): Promise<void> {
  return replaceStateFile(join(home.path, name), content, home.account);
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

import { execFile } from 'node:child_process';
import { chmod, chown, lstat, mkdir, mkdtemp, realpath, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { canWriteInto, runsAsRoot, unprivilegedAccount, type Account } from './unix-account.js';
import { EmbeddedServiceError } from './embedded-service-error.js';

/** For root only: homes that the unprivileged account could not reach inside the project. */
export const SYSTEM_DIRECTORY = '/var/lib/mailbeacon';

/** Where an embedded server keeps its data and which account it runs under (undefined: ours). */
export interface ServiceHome {
  readonly path: string;
  readonly account?: Account;
}

/**
 * Prepares the folder `name` inside `stateDirectory`. Started by root, the server gets an unprivileged account;
 * where that account cannot reach the folder (a project below /root), the folder becomes a link to one that it can.
 */
export async function prepareServiceHome(stateDirectory: string, name: string): Promise<ServiceHome> {
  const path = join(stateDirectory, name);
  await prepareStateDirectory(stateDirectory);
  if (!(await exists(path))) {
    await rm(path, { force: true }); // a link whose target is gone
    await mkdir(path, { mode: 0o700 });
  }
  if (!runsAsRoot()) return { path: await realpath(path) };
  const account = await ownerOrUnprivileged(path);
  if (!canWriteInto(await realpath(path), account)) await moveToSystemDirectory(path);
  return { path: await realpath(path), account };
}

/** Our files in it are readable by us alone; root's servers must be able to pass through it. */
export async function prepareStateDirectory(stateDirectory: string): Promise<void> {
  try {
    await mkdir(stateDirectory, { recursive: true });
    await chmod(stateDirectory, runsAsRoot() ? 0o711 : 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    throw new EmbeddedServiceError(`${stateDirectory} belongs to another user: start as that user, or remove it`);
  }
}

/** Data made by an ordinary user stays theirs when root starts the project once. */
async function ownerOrUnprivileged(path: string): Promise<Account> {
  const { uid, gid } = await stat(path);
  if (uid !== 0) return { uid, gid };
  const account = unprivilegedAccount();
  await chown(path, account.uid, account.gid);
  return account;
}

async function moveToSystemDirectory(path: string): Promise<void> {
  if ((await lstat(path)).isSymbolicLink())
    throw new EmbeddedServiceError(`${path} leads to where no server may write`);
  await prepareSystemDirectory();
  const reachable = await mkdtemp(join(SYSTEM_DIRECTORY, `${basename(path)}-`));
  await rmdir(reachable); // only its name was wanted
  // mv and not rename(2): the two may lie on different file systems, and owners must stay.
  await promisify(execFile)('mv', [path, reachable]);
  await symlink(reachable, path);
}

/** Passable for every account, readable for root alone. */
export async function prepareSystemDirectory(): Promise<void> {
  await mkdir(SYSTEM_DIRECTORY, { recursive: true });
  await chmod(SYSTEM_DIRECTORY, 0o711);
}

/** Writes a file that only the server's account can read. */
export async function writeInto(home: ServiceHome, name: string, content: string): Promise<void> {
  const file = join(home.path, name);
  await writeFile(file, content, { mode: 0o600 });
  if (home.account) await chown(file, home.account.uid, home.account.gid);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../platform/errors/operator-error.js';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { replaceStateFile } from './state-file.js';
import { isRunning, startOf } from './server-process.js';

/** Thrown when another process already runs the folder's services. The message is a single line. */
export class AlreadyRunningError extends OperatorError {
  constructor(address: string | undefined, pid: number) {
    const where = address === undefined ? '' : ` at ${address}`;
    super(`Mailbeacon already runs in this folder${where} (process ${pid}). Stop it there before starting another.`);
  }
}

/** The process that holds the lock. Its ID and start time identify it, because process IDs are reused. */
interface Holder {
  readonly pid: number;
  readonly start: string;
  /** Of the lock: a process may hold several, one after another. */
  readonly id?: string;
  readonly address?: string;
}

export interface InstanceLock {
  /** Stores the address for later starts. */
  recordAddress(address: string): Promise<void>;
  /** False once the folder was removed: another process may hold its own lock there. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Makes this process the only one that starts services in the folder. Replaces the lock of a process that has exited.
 * @throws AlreadyRunningError if another process holds the lock
 */
export async function lockInstance(stateDirectory: string): Promise<InstanceLock> {
  const file = join(stateDirectory, 'lock');
  const holder: Holder = { pid: process.pid, start: await startOf(process.pid), id: randomUUID() };
  while (!(await create(file, holder))) await removeIfVoid(file);
  return {
    recordAddress: (address) => replaceStateFile(file, JSON.stringify({ ...holder, address })),
    isHeld: async () => parse((await contentOf(file)) ?? '')?.id === holder.id,
    release: () => rm(file, { force: true }),
  };
}

/** Links the finished file into place, so that no process ever reads a partial lock. */
async function create(file: string, holder: Holder): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(holder), { mode: 0o600 });
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * @throws AlreadyRunningError if the holder of the lock still runs
 * @throws EmbeddedServiceError if it cannot be read: a lock of root is readable only by root
 */
async function removeIfVoid(file: string): Promise<void> {
  const content = await contentOf(file);
  if (content === undefined) return;
  const holder = parse(content);
  if (holder && (await isAlive(holder))) throw new AlreadyRunningError(holder.address, holder.pid);
  // Only one start may remove this lock. A second removal would delete the lock that replaces it.
  const claim = `${file}.${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
  const remover: Holder = { pid: process.pid, start: await startOf(process.pid) };
  if (!(await create(claim, remover))) return removeAbandoned(claim);
  try {
    if ((await contentOf(file)) === content) await rm(file, { force: true });
  } finally {
    await rm(claim, { force: true });
  }
}

/** A start that crashed while removing a lock must not block later starts. */
async function removeAbandoned(claim: string): Promise<void> {
  const content = await contentOf(claim);
  const remover = content === undefined ? undefined : parse(content);
  if (content !== undefined && !(remover && (await isAlive(remover)))) await rm(claim, { force: true });
}

/** Undefined if the file does not exist, or no longer. */
async function contentOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new EmbeddedServiceError(`${file} cannot be read (${error.code}): start as the user it belongs to`);
  });
}

async function isAlive({ pid, start }: Holder): Promise<boolean> {
  return isRunning(pid) && (await startOf(pid)) === start;
}

function parse(content: string): Holder | undefined {
  try {
    return JSON.parse(content) as Holder;
  } catch {
    return undefined; // truncated by a system crash
  }
}

/** Returns the address of the process that runs in the folder, or undefined if none runs or it is not ready yet. */
export async function runningAddress(stateDirectory: string): Promise<string | undefined> {
  const content = await readFile(join(stateDirectory, 'lock'), 'utf8').catch(() => undefined);
  const holder = content === undefined ? undefined : parse(content);
  return holder && (await isAlive(holder)) ? holder.address : undefined;
}

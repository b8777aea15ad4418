import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../platform/errors/operator-error.js';
import { isRunning, startOf } from './server-process.js';

/** Thrown when the folder's services already run in another process; its message is one line for the screen. */
export class AlreadyRunningError extends OperatorError {
  constructor(address: string | undefined, pid: number) {
    const where = address === undefined ? '' : ` at ${address}`;
    super(`Mailbeacon already runs in this folder${where} (process ${pid}). Stop it there before starting another.`);
  }
}

/** Who holds the lock: a process is known by its id together with its start, because ids are used again. */
interface Holder {
  readonly pid: number;
  readonly start: string;
  readonly address?: string;
}

export interface InstanceLock {
  /** Tells later starts where this one can be reached. */
  recordAddress(address: string): Promise<void>;
  release(): Promise<void>;
}

/**
 * Makes this process the only one that starts services in the folder. A lock whose holder is gone is void.
 * @throws AlreadyRunningError when another process holds it
 */
export async function lockInstance(stateDirectory: string): Promise<InstanceLock> {
  const file = join(stateDirectory, 'lock');
  const holder: Holder = { pid: process.pid, start: await startOf(process.pid) };
  while (!(await create(file, holder))) await removeIfVoid(file);
  return {
    recordAddress: (address) => writeFile(file, JSON.stringify({ ...holder, address }), { mode: 0o600 }),
    release: () => rm(file, { force: true }),
  };
}

/** Linked into place with its content, so that nobody ever reads half a lock. */
async function create(file: string, holder: Holder): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(holder), { mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** @throws AlreadyRunningError when the holder of the lock still runs */
async function removeIfVoid(file: string): Promise<void> {
  const content = await readFile(file, 'utf8').catch(() => undefined);
  if (content === undefined) return;
  const holder = parse(content);
  if (holder && (await isAlive(holder))) throw new AlreadyRunningError(holder.address, holder.pid);
  // One start alone may remove this very lock: another's removal would take away the lock that replaces it.
  const claim = `${file}.${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
  const remover: Holder = { pid: process.pid, start: await startOf(process.pid) };
  if (!(await create(claim, remover))) return removeAbandoned(claim);
  try {
    if ((await readFile(file, 'utf8').catch(() => undefined)) === content) await rm(file, { force: true });
  } finally {
    await rm(claim, { force: true });
  }
}

/** A start that died while it removed a lock must not keep later ones out. */
async function removeAbandoned(claim: string): Promise<void> {
  const content = await readFile(claim, 'utf8').catch(() => undefined);
  const remover = content === undefined ? undefined : parse(content);
  if (content !== undefined && !(remover && (await isAlive(remover)))) await rm(claim, { force: true });
}

async function isAlive({ pid, start }: Holder): Promise<boolean> {
  return isRunning(pid) && (await startOf(pid)) === start;
}

function parse(content: string): Holder | undefined {
  try {
    return JSON.parse(content) as Holder;
  } catch {
    return undefined; // cut short by a crash of the machine
  }
}

/** Address of the process that runs in the folder; undefined when none does or it is not ready yet. */
export async function runningAddress(stateDirectory: string): Promise<string | undefined> {
  const content = await readFile(join(stateDirectory, 'lock'), 'utf8').catch(() => undefined);
  const holder = content === undefined ? undefined : parse(content);
  return holder && isRunning(holder.pid) ? holder.address : undefined;
}

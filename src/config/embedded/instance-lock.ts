import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../errors/operator-error.js';
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

async function removeIfVoid(file: string): Promise<void> {
  const content = await readFile(file, 'utf8').catch(() => undefined);
  if (content === undefined) return;
  const holder = parse(content);
  if (holder && isRunning(holder.pid) && (await startOf(holder.pid)) === holder.start) {
    throw new AlreadyRunningError(holder.address, holder.pid);
  }
  // Another start may have replaced the void lock since we read it: what was moved away by mistake is put back.
  const removed = `${file}.${randomUUID()}`;
  await rename(file, removed).catch(() => undefined);
  if ((await readFile(removed, 'utf8').catch(() => content)) !== content) {
    await link(removed, file).catch(() => undefined);
  }
  await rm(removed, { force: true });
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

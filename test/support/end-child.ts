import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends a process unless it has ended by itself. Resolves with its exit code; null if a signal ended it. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
}

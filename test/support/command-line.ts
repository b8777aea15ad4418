import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { runCommandLine } from '../../src/cli/command-line.js';

/** One after the other: a command owns the environment and the streams of the process. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of the command line within this process, which takes a twentieth of the processor time that a process
 * of its own takes; see `runCli` for that.
 * @param environment all that the command finds in its environment
 */
export function runCommand(environment: Record<string, string>, ...words: string[]): Promise<CommandResult> {
  return runCommandWith({ environment }, ...words);
}

interface CommandResult {
  readonly code: number;
  readonly output: string;
}

interface CommandInput {
  readonly environment: Record<string, string>;
  /** Standard input. */
  readonly input?: string;
}

export function runCommandWith(given: CommandInput, ...words: string[]): Promise<CommandResult> {
  const result = last.then(() => runAlone(given, words));
  last = result.catch(() => undefined);
  return result;
}

async function runAlone({ environment, input = '' }: CommandInput, words: string[]): Promise<CommandResult> {
  const [stdin, printed] = [new PassThrough(), new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER })];
  stdin.end(input);
  const { PATH = '' } = process.env;
  const restore = replace({ env: { PATH, ...environment }, stdin, stdout: printed, stderr: printed });
  try {
    const code = await runCommandLine(words, process.cwd());
    if (!printed.writableEnded) await once(printed.end(), 'finish');
    return { code, output: ((printed.read() as Buffer | null) ?? '').toString() };
  } finally {
    restore();
  }
}

/** Gives `process` these properties until the function that it returns is called. */
function replace(properties: Partial<Record<keyof typeof process, unknown>>): () => void {
  const names = Object.keys(properties) as (keyof typeof process)[];
  const own = names.map((name) => [name, Object.getOwnPropertyDescriptor(process, name)!] as const);
  for (const name of names)
    Object.defineProperty(process, name, { value: properties[name], configurable: true, enumerable: true });
  return () => {
    for (const [name, descriptor] of own) Object.defineProperty(process, name, descriptor);
  };
}

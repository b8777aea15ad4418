import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../../src/cli/command-line.js';

/** Commands run one at a time, because each replaces the environment and the streams of this process. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a CLI command inside this process. That takes a twentieth of the processor time of a process of its own; for
 * one, see `runCli`.
 * @param environment the complete environment of the command
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
  /** The folder of the project: this checkout by default. */
  readonly directory?: string;
}

export function runCommandWith(given: CommandInput, ...words: string[]): Promise<CommandResult> {
  const result = last.then(() => runAlone(given, words));
  last = result.catch(() => undefined);
  return result;
}

async function runAlone(
  { environment, input = '', directory = process.cwd() }: CommandInput,
  words: string[],
): Promise<CommandResult> {
  const [stdin, printed] = [new PassThrough(), new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER })];
  stdin.end(input);
  const { PATH = '' } = process.env;
  const restore = replace({ env: { PATH, ...environment }, stdin, stdout: printed, stderr: printed });
  try {
    const code = await runCommandLine(words, directory);
    printed.end();
    return { code, output: await text(printed) };
  } finally {
    restore();
  }
}

/** Replaces these properties of `process` until the returned function is called. */
function replace(properties: Partial<Record<keyof typeof process, unknown>>): () => void {
  const names = Object.keys(properties) as (keyof typeof process)[];
  const own = names.map((name) => [name, Object.getOwnPropertyDescriptor(process, name)!] as const);
  for (const name of names)
    Object.defineProperty(process, name, { value: properties[name], configurable: true, enumerable: true });
  return () => {
    for (const [name, descriptor] of own) Object.defineProperty(process, name, descriptor);
  };
}

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually.js';

/** Whether `script` is that of util-linux and can provide a terminal; those of other systems take other options. */
export const hasTerminals = ((): boolean => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
})();

/** Runs a CLI command in a terminal and types at its prompt. @param keys typed once the prompt appears */
export async function runAtTerminal(
  environment: Record<string, string>,
  words: readonly string[],
  { prompt, keys }: { prompt: string; keys: string },
): Promise<{ code: number | null; output: string }> {
  const { PATH = '' } = process.env;
  const command = [process.execPath, 'dist/cli/main.js', ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { PATH, TERM: 'dumb', SHELL: '/bin/sh', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  const ended = once(child, 'exit');
  try {
    await eventually(() => output.includes(prompt) || child.exitCode !== null, 120_000);
    child.stdin.write(keys);
    await ended;
  } finally {
    child.kill('SIGKILL');
    child.stdin.destroy();
  }
  return { code: child.exitCode, output };
}

import { createInterface } from 'node:readline';

/** Returns what the operator typed; empty after Ctrl-C or Ctrl-D, because readline never settles the question then. */
export function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    terminal.on('close', () => resolve(''));
    terminal.question(question, (answer) => {
      resolve(answer.trim());
      terminal.close();
    });
  });
}

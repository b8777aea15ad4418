import 'reflect-metadata';
import { resolve } from 'node:path';
import { runCommandLine } from './command-line.js';

/** What a shell reports for a program that SIGPIPE ended. */
const PIPE_CLOSED = 128 + 13;

// The reader of `cli org list | head` has seen enough. Node ignores SIGPIPE, which would end the process.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(PIPE_CLOSED);
  });
}

process.exitCode = await runCommandLine(process.argv.slice(2), resolve(import.meta.dirname, '..', '..'));

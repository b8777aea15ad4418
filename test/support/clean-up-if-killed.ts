import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** File in which a test server writes its process ID, below the folder of the test run. */
export const REDIS_PID_FILE = 'redis.pid';
/** Folder in which processes of the service under test write theirs. */
export const PROCESSES_DIRECTORY = 'processes';
/** The global set-up sets it for the processes that run tests: the folder of the files that they leave. */
export const RUN_DIRECTORY_VARIABLE = 'MAILBEACON_TEST_DIRECTORY';

/**
 * Waits for end of input, which comes when the test run dies for any reason. Then it ends the servers whose process IDs
 * are in the folder $1, and removes the folder. A server's home may be a symbolic link.
 */
const SCRIPT = `
  cat > /dev/null
  for file in "$1/postgres/data/postmaster.pid" "$1/redis/${REDIS_PID_FILE}" "$1/${PROCESSES_DIRECTORY}"/*.pid; do
    process=$(head -n 1 "$file" 2> /dev/null) || continue
    kill -QUIT "$process" 2> /dev/null
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
      kill -0 "$process" 2> /dev/null || break
      sleep 0.2
    done
    kill -KILL "$process" 2> /dev/null
  done
  for attempt in 1 2 3 4 5; do
    for home in "$1/postgres" "$1/redis"; do
      home=$(cd "$home" 2> /dev/null && pwd -P) && rm -rf "$home" 2> /dev/null
    done
    rm -rf "$1" 2> /dev/null && break
    sleep 0.5
  done
`;

/** Makes sure that the servers and folders of a test run are removed with it, even after kill -9. */
export function cleanUpIfKilled(directory: string): { dismiss(): void } {
  const watcher = spawn('/bin/sh', ['-c', SCRIPT, 'sh', directory], {
    detached: true, // Ctrl-C in the terminal must not end it.
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.unref();
  return { dismiss: () => watcher.kill('SIGKILL') };
}

/** Makes sure that a process that a test starts ends with the test run, even after kill -9. */
export function endWithRun(child: ChildProcess): void {
  const directory = process.env[RUN_DIRECTORY_VARIABLE];
  if (directory === undefined || child.pid === undefined) return;
  const file = join(directory, PROCESSES_DIRECTORY, `${child.pid}.pid`);
  writeFileSync(file, String(child.pid));
  child.once('exit', () => rmSync(file, { force: true }));
}

import { spawn } from 'node:child_process';

/**
 * Waits for the end of its input, which comes when the test run dies in whatever way, then ends the servers and
 * removes their folders. Arguments: process ids, "--", folders.
 */
const SCRIPT = `
  cat > /dev/null
  processes=
  while [ "$1" != -- ]; do processes="$processes $1"; shift; done
  shift
  kill -QUIT $processes 2> /dev/null
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 $processes 2> /dev/null || break
    sleep 0.2
  done
  kill -KILL $processes 2> /dev/null
  rm -rf "$@"
`;

/** Makes sure that the servers and folders of a test run disappear with it, also after kill -9. */
export function cleanUpWhenWeDie(pids: readonly number[], directories: readonly string[]): { dismiss(): void } {
  const watcher = spawn('/bin/sh', ['-c', SCRIPT, 'sh', ...pids.map(String), '--', ...directories], {
    detached: true, // Ctrl-C in the terminal must not end it
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.unref();
  return { dismiss: () => watcher.kill('SIGKILL') };
}

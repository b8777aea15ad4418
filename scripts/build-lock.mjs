import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

/**
 * Two installations or builds at once, such as of `npm start` and `npm test`, would write the same files.
 * @param {string} lock path of a file that holds the ID and the start of the process that builds
 * @param {() => Promise<void>} work may end the process
 * @param {(line: string) => void} report called with a line if another build is running
 */
export async function whileNoOtherBuilds(lock, work, report) {
  const release = () => rmSync(lock, { force: true });
  for (let reported = false; !takeLock(lock); await setTimeout(200)) {
    const holder = holderOf(lock);
    if (holder && !reported) report(`Another build is running (process ${holder.pid}); waiting …`);
    reported ||= holder !== undefined;
  }
  process.on('exit', release);
  try {
    await work();
  } finally {
    release();
    process.off('exit', release);
  }
}

/** A link appears with its content: nobody reads an empty lock. */
function takeLock(lock) {
  const own = `${lock}.${process.pid}`;
  try {
    writeFileSync(own, `${process.pid} ${startOf(process.pid)}`);
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    removeIfKilled(lock);
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Removes the lock of a killed process. Only the holder of a lock for this removal may do that: by the time at which
 * another one removed the file, it could be the lock of a process that builds.
 */
function removeIfKilled(lock) {
  const content = contentOf(lock);
  if (content === undefined || holderIn(content)) return;
  const removal = `${lock}.${content.replace(/\W+/g, '-')}`;
  if (!takeLock(removal)) return;
  try {
    if (contentOf(lock) === content) rmSync(lock);
  } finally {
    rmSync(removal);
  }
}

/** Undefined if there is no lock, or if the process that took it was killed. */
function holderOf(lock) {
  const content = contentOf(lock);
  return content === undefined ? undefined : holderIn(content);
}

function contentOf(lock) {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The ID alone may be that of a later process. */
function holderIn(content) {
  const [, pid, start] = /^(\d+) (.*)$/s.exec(content) ?? [];
  return pid !== undefined && isRunning(pid) && startOf(pid) === start ? { pid } : undefined;
}

function isRunning(pid) {
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** In a unit of the system; empty if it does not tell, and for a process that has ended and waits for its parent. */
function startOf(pid) {
  try {
    // proc(5): field 3, the state, and field 22 follow the name, which may contain spaces and parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? '' : fields[19];
  } catch {
    return startByProcessStatus(pid);
  }
}

function startByProcessStatus(pid) {
  try {
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, LC_ALL: 'C' } };
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], options).trim();
  } catch {
    return '';
  }
}

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** Microseconds per clock tick of the kernel's accounting. */
const TICK_US = 1e6 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/**
 * Processor time by process at one moment, as the operating system counts it (proc(5)).
 * A process counts with its children: running ones, and those that have ended and been waited for.
 */
export class ProcessorTimes {
  at = process.hrtime.bigint();
  ticks = new Map();
  children = new Map();
  machineUs = busyMicroseconds();

  constructor() {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const fields = statOf(name);
      if (!fields) continue;
      const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((index) => Number(fields[index]));
      this.ticks.set(Number(name), user + system + endedUser + endedSystem);
      this.children.set(parent, [...(this.children.get(parent) ?? []), Number(name)]);
    }
  }

  /** Microseconds of a process and everything below it. */
  of(pid) {
    const below = (this.children.get(pid) ?? []).reduce((sum, child) => sum + this.of(child), 0);
    return (this.ticks.get(pid) ?? 0) * TICK_US + below;
  }
}

/** The difference between two moments, in microseconds per process, and the load of other programs on the machine. */
export function between(before, after, pids) {
  const elapsedUs = Number(after.at - before.at) / 1000;
  const spent = Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, after.of(pid) - before.of(pid)]));
  const own = after.of(process.pid) - before.of(process.pid);
  const elsewhere = Object.values(pids).filter((pid) => !isBelow(after, process.pid, pid));
  const known = own + elsewhere.reduce((sum, pid) => sum + after.of(pid) - before.of(pid), 0);
  const foreign = Math.max(0, after.machineUs - before.machineUs - known) / elapsedUs;
  return { elapsedUs, spent, foreign };
}

function isBelow(times, ancestor, pid) {
  return (times.children.get(ancestor) ?? []).some((child) => child === pid || isBelow(times, child, pid));
}

/** What follows the name, which may hold spaces and parentheses: state first, then the parent. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // It has ended in the meantime.
  }
}

/** Over all cores, without idle time and waits for the disk. Time that a hypervisor takes counts as other programs. */
function busyMicroseconds() {
  const [user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'latin1')
    .split('\n', 1)[0]
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_US;
}

/** Bytes of memory that a process holds (VmRSS). */
export function residentBytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
}

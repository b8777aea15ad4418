import type { Writable } from 'node:stream';
import { pino, stdTimeFunctions, type Logger as PinoLogger } from 'pino';
import pretty from 'pino-pretty';
import { errorFields } from './error-fields.js';
import { LogOutput } from './log-output.js';

const STANDARD_OUTPUT = 1;

export type Logger = PinoLogger;

/** Injection token of the process logger. */
export const LOGGER = Symbol('logger');

export interface LogTarget {
  /** Pretty-prints for a terminal instead of writing JSON. */
  readonly readable?: boolean;
  /** Standard output by default. */
  readonly destination?: Writable;
}

/**
 * Writes JSON lines to standard output, or readable lines in a terminal. Log IDs only. Never log personal data or
 * secrets: addresses, subjects, bodies, keys or URLs of recipients.
 */
export function createLogger(level: string, roles: readonly string[], target: LogTarget = {}): Logger {
  const { destination, readable = destination === undefined && process.stdout.isTTY } = target;
  const options = {
    level,
    base: { roles: roles.join(',') },
    timestamp: stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => errorFields(error) },
  };
  if (!readable) return pino(options, destination ?? new LogOutput(STANDARD_OUTPUT));
  // Synchronous rather than in a thread, so that the last lines before the exit are not lost.
  const forPeople = { sync: true, ignore: 'pid,hostname,roles', translateTime: 'SYS:HH:MM:ss' };
  return pino(options, pretty({ ...forPeople, ...(destination && { destination }) }));
}

import type { Writable } from 'node:stream';
import { pino, stdTimeFunctions, type Logger as PinoLogger } from 'pino';
import pretty from 'pino-pretty';
import { errorFields } from './error-fields.js';

export type Logger = PinoLogger;

/** Injection token of the process logger. */
export const LOGGER = Symbol('logger');

export interface LogTarget {
  /** For people at a terminal rather than for programs. */
  readonly readable?: boolean;
  /** Where lines go; standard output unless given. */
  readonly destination?: Writable;
}

/**
 * JSON lines on standard output; in a terminal, readable ones. Log ids, never addresses, subjects, bodies,
 * keys or URLs of recipients: personal data has no place in logs.
 */
export function createLogger(level: string, roles: readonly string[], target: LogTarget = {}): Logger {
  const { destination, readable = destination === undefined && process.stdout.isTTY } = target;
  const options = {
    level,
    base: { roles: roles.join(',') },
    timestamp: stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => errorFields(error) },
  };
  if (!readable) return destination ? pino(options, destination) : pino(options);
  // Written at once rather than by a thread, so that the last lines before the end are not lost.
  const forPeople = { sync: true, ignore: 'pid,hostname,roles', translateTime: 'SYS:HH:MM:ss' };
  return pino(options, pretty({ ...forPeople, ...(destination && { destination }) }));
}

import { pino, type Logger as PinoLogger } from 'pino';
import pretty from 'pino-pretty';

export type Logger = PinoLogger;

/** Injection token of the process logger. */
export const LOGGER = Symbol('logger');

/**
 * JSON lines on standard output; in a terminal, readable ones. Log ids, never addresses, subjects, bodies,
 * keys or URLs of recipients: personal data has no place in logs.
 */
export function createLogger(level: string, roles: readonly string[], readable = process.stdout.isTTY): Logger {
  const options = { level, base: { roles: roles.join(',') }, timestamp: pino.stdTimeFunctions.isoTime };
  if (!readable) return pino(options);
  // Written at once rather than by a thread, so that the last lines before the end are not lost.
  return pino(options, pretty({ sync: true, ignore: 'pid,hostname,roles', translateTime: 'SYS:HH:MM:ss' }));
}

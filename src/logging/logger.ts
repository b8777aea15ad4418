import { pino, type Logger as PinoLogger } from 'pino';

export type Logger = PinoLogger;

/** Injection token of the process logger. */
export const LOGGER = Symbol('logger');

/**
 * JSON lines on standard output; in a terminal, readable ones. Log ids, never addresses, subjects, bodies,
 * keys or URLs of recipients: personal data has no place in logs.
 */
export function createLogger(level: string, roles: readonly string[], pretty = process.stdout.isTTY): Logger {
  return pino({
    level,
    base: { roles: roles.join(',') },
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(pretty && {
      transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname,roles', translateTime: 'SYS:HH:MM:ss' } },
    }),
  });
}

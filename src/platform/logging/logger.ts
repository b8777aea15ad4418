import type { Writable } from 'node:stream';
import { levels, pino, stdTimeFunctions, type Logger as PinoLogger, type LoggerOptions } from 'pino';
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
  readonly outages?: Outages;
}

/** Logs the outages of what the process depends on. */
interface Outages {
  reportTo(logger: Logger): void;
  /** Whether its lines have the cause of an error. */
  explains(error: unknown): boolean;
}

/**
 * Writes JSON lines to standard output, or readable lines in a terminal. Log IDs only. Never log personal data or
 * secrets: addresses, subjects, bodies, keys or URLs of recipients.
 */
export function createLogger(level: string, roles: readonly string[], target: LogTarget = {}): Logger {
  const { destination, outages, readable = destination === undefined && process.stdout.isTTY } = target;
  const options = {
    level,
    base: { roles: roles.join(',') },
    timestamp: stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => errorFields(error) },
    ...(outages && { hooks: withoutExplained(outages) }),
  };
  const logger = readable
    ? pino(options, prettyOutput(destination))
    : pino(options, destination ?? new LogOutput(STANDARD_OUTPUT));
  outages?.reportTo(logger);
  return logger;
}

/** Synchronous rather than in a thread, so that the last lines before the exit are not lost. */
function prettyOutput(destination: Writable | undefined): Writable {
  const forPeople = { sync: true, ignore: 'pid,hostname,roles', translateTime: 'SYS:HH:MM:ss' };
  return pretty({ ...forPeople, ...(destination && { destination }) });
}

/** Warnings and errors whose only cause is an outage are for debugging: there may be hundreds a second. */
function withoutExplained(outages: Outages): LoggerOptions['hooks'] {
  return {
    logMethod(line, method, level) {
      const [fields] = line as unknown[];
      const isExplained =
        (level === levels.values['warn'] || level === levels.values['error']) &&
        outages.explains((fields as { err?: unknown } | null)?.err);
      if (isExplained) this.debug(...line);
      else method.apply(this, line);
    },
  };
}

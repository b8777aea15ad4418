import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Forwards Nest's messages to our logger. Its startup messages go to the debug level. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, ...details: unknown[]): void {
    if (message instanceof Error) this.logger.error({ err: message }, message.message);
    else this.logger.error({ stack: details[0] }, String(message));
  }

  fatal(message: unknown, ...details: unknown[]): void {
    this.logger.fatal({ stack: details[0] }, String(message));
  }
}

import { Command } from 'ioredis';
import { afterReading } from '../../clock/with-deadline.js';

interface TimedCommand {
  readonly isResolved: boolean;
  _commandTimeoutTimer?: NodeJS.Timeout;
  reject(error: Error): void;
}

/** Makes the `commandTimeout` of ioredis act only once responses that have arrived are read. */
export function timeOutAfterReading(): void {
  Command.prototype.setTimeout = function (milliseconds: number): void {
    const command = this as unknown as TimedCommand;
    command._commandTimeoutTimer ??= afterReading(milliseconds, () => {
      if (!command.isResolved) command.reject(new Error('Command timed out'));
    });
  };
}

import { OperatorError } from './operator-error.js';

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The setting to change if the port is taken. */
  readonly setting: string;
}

/** The error of a server that cannot listen: its port is taken, or the account may not use it. */
export function portError({ host, port, setting }: ListenAddress, error: unknown): OperatorError {
  const { code } = error as NodeJS.ErrnoException;
  return new OperatorError(`Cannot listen on port ${port} of ${host} (${code}): set ${setting} to a free one`);
}

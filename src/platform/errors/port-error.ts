import { OperatorError } from './operator-error.js';

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The setting to change if the port is taken. */
  readonly setting: string;
}

/** Codes for an address that is not one of this machine. */
const WRONG_HOST = /^(ENOTFOUND|EAI_|EADDRNOTAVAIL|EINVAL|EAFNOSUPPORT)/;

/**
 * The error of a server that cannot listen: its port is taken, the account may not use it, or the address is not one of
 * this machine.
 */
export function portError({ host, port, setting }: ListenAddress, error: unknown): OperatorError {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && WRONG_HOST.test(code)) {
    const hostSetting = setting === 'OPERATOR_PORT' ? 'OPERATOR_HOST' : 'HOST';
    return new OperatorError(`Cannot listen on ${host} (${code}): set ${hostSetting} to an address of this machine`);
  }
  return new OperatorError(`Cannot listen on port ${port} of ${host} (${code}): set ${setting} to a free one`);
}

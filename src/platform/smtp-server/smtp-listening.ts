import type { AddressInfo, Socket } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { OperatorError } from '../errors/operator-error.js';

/** How long a stop waits for messages that are being received. */
export const CLOSE_TIMEOUT_MS = 5_000;

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The setting to change if the port is taken. */
  readonly setting: string;
}

/** @throws OperatorError when the port is taken or not allowed */
export async function listenForSmtp({ server }: SMTPServer, { host, port, setting }: ListenAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onError = ({ code }: NodeJS.ErrnoException): void =>
      reject(new OperatorError(`Cannot listen on port ${port} of ${host} (${code}): set ${setting} to a free one`));
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
      resolve();
    });
  });
}

/** 0 while the server does not listen. */
export function smtpPortOf({ server }: SMTPServer): number {
  return (server.address() as AddressInfo | null)?.port ?? 0;
}

/** Accepts no new connections, and waits a few seconds for messages that are being received. */
export function closeSmtp(server: SMTPServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Ends connections after this time, however busy they are. For servers without TLS, which keep listeners of sockets. */
export function endAfter(milliseconds: number): (socket: Socket) => void {
  return (socket) => {
    const timer = setTimeout(() => socket.destroy(), milliseconds).unref();
    socket.once('close', () => clearTimeout(timer));
  };
}

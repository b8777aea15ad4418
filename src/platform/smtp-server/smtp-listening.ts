import type { AddressInfo, Socket } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { portError, type ListenAddress } from '../errors/port-error.js';

/** How long a stop waits for messages that are being received. */
export const CLOSE_TIMEOUT_MS = 5_000;

/** @throws OperatorError when the port is taken or not allowed */
export async function listenForSmtp({ server }: SMTPServer, address: ListenAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onError = (error: Error): void => reject(portError(address, error));
    server.once('error', onError);
    server.listen(address.port, address.host, () => {
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

/**
 * Ends connections after this time, however busy they are. For servers without TLS, which keep listeners of sockets.
 */
export function endAfter(milliseconds: number): (socket: Socket) => void {
  return (socket) => {
    const timer = setTimeout(() => socket.destroy(), milliseconds).unref();
    socket.once('close', () => clearTimeout(timer));
  };
}

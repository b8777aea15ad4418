import type { Socket } from 'node:net';

/**
 * Closes a connection whose server no longer responds, so that ioredis opens another one. A host that vanishes closes
 * nothing, and the operating system would resend for about 15 minutes. Closes no connection without a waiting command.
 * @param limitMs longer than any command takes, or waits in the server
 * @returns the socket
 */
export function closeIfNoResponse<Connection extends Socket>(socket: Connection, limitMs: number): Connection {
  const write = socket.write.bind(socket) as (...written: unknown[]) => boolean;
  /** The first command since the server last sent something. */
  let waitingSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    timer = undefined;
    if (waitingSince === undefined || socket.destroyed) return;
    const remainingMs = waitingSince + limitMs - performance.now();
    if (remainingMs > 0) checkAfter(remainingMs);
    else socket.destroy(new Error(`Redis sent nothing for ${limitMs} ms`));
  };
  // One timer for many commands. A response that came while this process was busy is read before the check.
  const checkAfter = (ms: number): void => void (timer = setTimeout(() => setImmediate(check), ms).unref());
  socket.prependListener('data', () => (waitingSince = undefined));
  socket.once('close', () => clearTimeout(timer));
  socket.write = (...written: unknown[]) => {
    waitingSince ??= performance.now();
    if (timer === undefined) checkAfter(limitMs);
    return write(...written);
  };
  return socket;
}

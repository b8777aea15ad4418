import type { Socket } from 'node:net';

/**
 * Writes the commands of one turn of the event loop to the operating system at once. ioredis writes each by itself, and
 * the writing costs more than what is written: results of one statement make many commands.
 * @returns the socket
 */
export function oneWritePerTurn<Connection extends Socket>(socket: Connection): Connection {
  const write = socket.write.bind(socket) as (...written: unknown[]) => boolean;
  let isHeld = false;
  const release = (): void => {
    isHeld = false;
    socket.uncork();
  };
  socket.write = (...written: unknown[]) => {
    if (!isHeld) {
      isHeld = true;
      socket.cork();
      // Runs once the promises that are settled now have run what waits for them.
      process.nextTick(release);
    }
    return write(...written);
  };
  return socket;
}

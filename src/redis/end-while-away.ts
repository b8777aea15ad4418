/** A connection of ioredis, also as BullMQ types it. */
interface Client {
  status: string;
  disconnect(): void;
  on(event: 'reconnecting', listener: () => void): unknown;
}

/**
 * Ends a connection that is being closed as soon as it waits to reconnect. Without this, a process that is told to
 * stop while Redis is away waits for Redis to return: `quit` is queued until then, and `disconnect` (ioredis 5.11) of
 * a connection that waits to reconnect never emits `end`, nor fails the commands that are queued.
 */
export function endWhileAway(client: Client): void {
  const end = (): void => {
    if (client.status !== 'reconnecting') return;
    // The one state in which `disconnect` completes without a socket.
    client.status = 'wait';
    client.disconnect();
  };
  client.on('reconnecting', end);
  end();
}

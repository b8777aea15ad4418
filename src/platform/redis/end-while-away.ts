/** A connection of ioredis, also as BullMQ types it. */
interface Client {
  status: string;
  disconnect(): void;
  on(event: 'reconnecting', listener: () => void): unknown;
}

type RetryStrategy = (attempt: number) => number | null | void;

/**
 * Lets the connections that BullMQ opens for itself end while Redis is away. Without it, a process that stops then
 * waits for Redis to return: the commands of BullMQ are queued until they can be sent, those of its first contact too.
 */
export class EndWhileAway {
  private ending = false;

  /** @returns the options of `connection`, with which a lost connection stays lost once `end` has been called */
  apply<Connection extends object>(connection: Connection): Connection {
    const { retryStrategy } = connection as { retryStrategy?: RetryStrategy };
    return {
      ...connection,
      retryStrategy: (attempt: number) => (this.ending ? null : retryStrategy?.(attempt)),
    };
  }

  /**
   * Resolves once each connection is open or is going to end.
   * @param clients connections that are ready, or fail, once their first contact with Redis succeeded or failed
   */
  async end(clients: readonly (Promise<Client> | undefined)[]): Promise<void> {
    this.ending = true;
    for (const client of await Promise.allSettled(clients))
      if (client.status === 'fulfilled' && client.value) endOnceLost(client.value);
  }
}

/** `disconnect` of a connection that waits to reconnect (ioredis 5.11) neither emits `end` nor fails what is queued. */
function endOnceLost(client: Client): void {
  const end = (): void => {
    if (client.status !== 'reconnecting') return;
    // The one state in which `disconnect` completes without a socket.
    client.status = 'wait';
    client.disconnect();
  };
  client.on('reconnecting', end);
  end();
}

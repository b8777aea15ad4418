/** The part of an ioredis connection that BullMQ's types also have. */
interface Client {
  status: string;
  disconnect(): void;
  on(event: 'reconnecting', listener: () => void): unknown;
}

type RetryStrategy = (attempt: number) => number | null | void;

/**
 * Lets BullMQ's own connections close while Redis is down. Otherwise a stopping process would wait for Redis to
 * recover, because BullMQ queues its commands, including the initial ones, until it can send them.
 */
export class CloseDuringOutage {
  private ending = false;

  /** @returns the options of `connection`, changed so that a lost connection does not reconnect after `end` */
  apply<Connection extends object>(connection: Connection): Connection {
    const { retryStrategy } = connection as { retryStrategy?: RetryStrategy };
    return {
      ...connection,
      retryStrategy: (attempt: number) => (this.ending ? null : retryStrategy?.(attempt)),
    };
  }

  /**
   * Resolves once each connection is either open or closing.
   * @param clients promises that settle with the first connection attempt of each client
   */
  async end(clients: readonly (Promise<Client> | undefined)[]): Promise<void> {
    this.ending = true;
    for (const client of await Promise.allSettled(clients))
      if (client.status === 'fulfilled' && client.value) endOnceLost(client.value);
  }
}

/** In ioredis 5.11, `disconnect` on a reconnecting connection neither emits `end` nor fails the queued commands. */
function endOnceLost(client: Client): void {
  const end = (): void => {
    if (client.status !== 'reconnecting') return;
    // Only in this state does `disconnect` complete without a socket.
    client.status = 'wait';
    client.disconnect();
  };
  client.on('reconnecting', end);
  end();
}

import type { Agent, ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';

/** Far more than requests in flight. One more costs a file descriptor and, with TLS, tens of kilobytes. */
export const MAX_IDLE_CONNECTIONS = 256;

/**
 * Limits the idle connections of agents that call many hosts, all hosts together: Node's own limit is per host. A
 * connection beyond it is closed after its request. So is an idle one on which data arrives: nobody asked for it, and
 * Node would read it for ever.
 */
export function limitIdleConnections(agents: readonly Agent[]): void {
  for (const agent of agents) {
    // Documented to return whether the connection is kept, although its type says otherwise.
    const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
    const reuse = agent.reuseSocket.bind(agent);
    agent.keepSocketAlive = (socket: Duplex): unknown => {
      const isKept = idleConnections(agents) < MAX_IDLE_CONNECTIONS && keep(socket);
      if (isKept) socket.on('data', close);
      return isKept;
    };
    agent.reuseSocket = (socket: Duplex, request: ClientRequest): void => {
      socket.off('data', close);
      reuse(socket, request);
    };
  }
}

function close(this: Duplex): void {
  this.destroy();
}

function idleConnections(agents: readonly Agent[]): number {
  const idle = agents.flatMap(({ freeSockets }) => Object.values(freeSockets));
  return idle.reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
}

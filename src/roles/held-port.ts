import { once } from 'node:events';
import { Server } from 'node:net';
import { isFree } from '../embedded/free-port.js';
import { portError } from '../platform/errors/port-error.js';

/** Codes of a port that another program uses, or that this account may not use. */
const UNAVAILABLE = new Set(['EADDRINUSE', 'EACCES']);

/**
 * A port that no other program can take before this process listens there. `listen(heldPort)` of a server takes its
 * socket over (https://nodejs.org/api/net.html#serverlistenhandle-backlog-callback).
 */
export class HeldPort extends Server {
  private constructor(
    readonly port: number,
    readonly host: string,
  ) {
    // Nothing serves a client that connects before that: as before the start, it has to try again.
    super((socket) => socket.destroy());
  }

  /**
   * Holds the first one of the ports that is free.
   * @throws OperatorError when the host is not an address of this machine, or no port is free
   */
  static async firstOf(ports: Iterable<number>, host: string): Promise<HeldPort> {
    let failure: unknown;
    let last = 0;
    for (const port of ports) {
      last = port;
      // On some systems a server on all addresses can share the port of one on the loopback address.
      if (!(await isFree(port))) continue;
      const held = new HeldPort(port, host);
      failure = await once(held.listen(port, host), 'listening').then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined) return held;
      if (!UNAVAILABLE.has((failure as NodeJS.ErrnoException).code ?? '')) break;
    }
    throw portError({ host, port: last, setting: 'PORT' }, failure ?? { code: 'EADDRINUSE' });
  }
}

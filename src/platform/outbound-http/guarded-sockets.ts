import { connect, type LookupFunction, type Socket } from 'node:net';
import { CONNECT_ATTEMPT_MS, guardedLookup } from './guarded-lookup.js';
import { refusalOfMailServer, TargetRefusedError, type OutboundPolicy } from './outbound-policy.js';
import type { HostAddresses } from './resolve-host.js';

/** Connects to mail servers that organizations choose. */
export class GuardedSockets {
  private readonly lookup: LookupFunction;

  constructor(
    private readonly policy: OutboundPolicy,
    findAddresses: HostAddresses,
  ) {
    this.lookup = guardedLookup(policy, findAddresses);
  }

  /**
   * Returns why a server is refused whatever its name resolves to, as in "url …". Names are resolved when they are
   * used: a response now would show which names and addresses the network of this service has.
   */
  refusalOfServer(host: string, port: number): string | undefined {
    return refusalOfMailServer(host, port, this.policy);
  }

  /** @throws TargetRefusedError, and the errors of sockets and lookups */
  connect(host: string, port: number, timeoutMs: number): Promise<Socket> {
    const refusal = refusalOfMailServer(host, port, this.policy);
    if (refusal !== undefined) return Promise.reject(new TargetRefusedError(refusal));
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, lookup: this.lookup, autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS });
      const timedOut = Object.assign(new Error('Connection timeout'), { code: 'ETIMEDOUT' });
      socket.setTimeout(timeoutMs, () => socket.destroy(timedOut));
      socket.once('error', reject).once('connect', () => {
        socket.setTimeout(0).removeAllListeners('timeout').off('error', reject);
        resolve(socket);
      });
    });
  }
}

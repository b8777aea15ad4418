import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { withDeadline } from '../clock/with-deadline.js';
import { guardedLookup } from './guarded-lookup.js';
import { refusalOfAddresses, refusalOfMailServer, TargetRefusedError, type EgressPolicy } from './outbound-policy.js';
import type { HostAddresses } from './resolve-host.js';

/** `refusalOfServer` ignores a lookup that takes longer. */
const LOOKUP_TIMEOUT_MS = 5_000;
/** Time for a connection to one of several addresses before the next one is tried too. */
const CONNECT_ATTEMPT_MS = 2_000;

/** Connects to mail servers that organizations choose. */
export class GuardedSockets {
  private readonly lookup: LookupFunction;

  constructor(
    private readonly policy: EgressPolicy,
    private readonly findAddresses: HostAddresses,
  ) {
    this.lookup = guardedLookup(policy, findAddresses);
  }

  /** Returns why a server would be refused now, as in "url …". An unresolvable host name is checked when it is used. */
  async refusalOfServer(host: string, port: number): Promise<string | undefined> {
    const refusal = refusalOfMailServer(host, port, this.policy);
    if (refusal !== undefined || this.policy.allowPrivateAddresses || isIP(host) !== 0) return refusal;
    const addresses = await withDeadline(LOOKUP_TIMEOUT_MS, this.findAddresses(host)).catch(() => []);
    return refusalOfAddresses(addresses, this.policy);
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

import { HitLimiter } from '../../../platform/rate-limit/hit-limiter.js';
import { clientNetwork } from '../../../platform/addresses/client-network.js';
import { ClientConnections } from '../../../platform/smtp-server/client-connections.js';

/** Concurrent connections of all clients, and of one. A mail server opens at most 20 by default. */
export const MAX_CONNECTIONS = 200;
const CONNECTIONS_PER_CLIENT = 20;
/** Per minute. The operator's own mail server may deliver the bounces of many others. */
const MESSAGES_PER_CLIENT = 3_000;
/** Addresses that none of our keys signed, per minute. */
const WRONG_RECIPIENTS_PER_CLIENT = 60;
/** Abuse reports to the address for all of them, per minute: the address is public. */
const FEEDBACK_PER_CLIENT = 120;
/** Messages to one return path, per minute: a recipient knows the path, but has little to report. */
const MESSAGES_PER_RETURN_PATH = 20;

/**
 * Limits the resources that one client of the listener, identified by its IP address, can use, so that it cannot block
 * others.
 */
export class ClientLimits {
  private readonly connections = new ClientConnections(CONNECTIONS_PER_CLIENT);
  private readonly messages = new HitLimiter(MESSAGES_PER_CLIENT);
  private readonly wrongRecipients = new HitLimiter(WRONG_RECIPIENTS_PER_CLIENT);
  private readonly feedback = new HitLimiter(FEEDBACK_PER_CLIENT);
  private readonly returnPaths = new HitLimiter(MESSAGES_PER_RETURN_PATH);

  /** Returns false if the client has too many connections. Call `disconnect` only after true. */
  connect(address: string): boolean {
    return this.connections.connect(clientNetwork(address));
  }

  disconnect(address: string): void {
    this.connections.disconnect(clientNetwork(address));
  }

  allowsWrongRecipient(address: string, now: number): boolean {
    return this.wrongRecipients.allows(clientNetwork(address), now);
  }

  /** @param returnPaths the envelope recipients that we signed, in lower case; none for the address of abuse reports */
  allowsMessage(address: string, returnPaths: readonly string[], now: number): boolean {
    const client = clientNetwork(address);
    if (!this.messages.allows(client, now)) return false;
    if (returnPaths.length === 0) return this.feedback.allows(client, now);
    return returnPaths.every((path) => this.returnPaths.allows(path, now));
  }
}

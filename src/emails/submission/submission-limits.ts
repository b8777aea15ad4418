import type { Socket } from 'node:net';
import { clientNetwork } from '../../platform/addresses/client-network.js';
import { ClientConnections } from '../../platform/smtp-server/client-connections.js';

/** Open connections of all clients. */
export const MAX_SUBMISSION_CONNECTIONS = 1_000;
const CONNECTIONS_PER_CLIENT = 50;
const CONNECTIONS_PER_ORGANIZATION = 200;
/** How long a client without a key may stay connected: it holds a place that others need. */
export const LOGIN_TIMEOUT_MS = 30_000;
/** Recipients of one message, as every server must take (RFC 5321, 4.5.3.1.8). */
export const MAX_ENVELOPE_RECIPIENTS = 100;

/** Limits the connections of one client and of one organization, so that they cannot keep others out. */
export class SubmissionLimits {
  private readonly clients = new ClientConnections(CONNECTIONS_PER_CLIENT);
  private readonly organizations = new ClientConnections(CONNECTIONS_PER_ORGANIZATION);
  /** By the IDs of their sessions. */
  private readonly sessions = new Map<string, { readonly client: string; organization?: string }>();
  /** Ends of connections whose clients have logged in. */
  private readonly loggedIn = new Set<string>();

  /** Returns false if the client has too many connections. */
  connect(session: string, address: string): boolean {
    const client = clientNetwork(address);
    if (!this.clients.connect(client)) return false;
    this.sessions.set(session, { client });
    return true;
  }

  /** Returns false if the organization has too many connections. */
  logIn(session: string, organization: string, end: ConnectionEnd): boolean {
    const known = this.sessions.get(session);
    if (!known || !this.organizations.connect(organization)) return false;
    known.organization = organization;
    this.loggedIn.add(nameOf(end));
    return true;
  }

  disconnect(session: string, end: ConnectionEnd): void {
    const known = this.sessions.get(session);
    this.sessions.delete(session);
    this.loggedIn.delete(nameOf(end));
    if (!known) return;
    this.clients.disconnect(known.client);
    if (known.organization !== undefined) this.organizations.disconnect(known.organization);
  }

  readonly isLoggedIn = ({ remoteAddress, remotePort }: Socket): boolean =>
    this.loggedIn.has(nameOf({ remoteAddress, remotePort }));
}

/** The other end of a connection. */
export interface ConnectionEnd {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** Servers of both protocols show IPv4 addresses in the form of IPv6. */
function nameOf({ remoteAddress = '', remotePort = 0 }: ConnectionEnd): string {
  return `${remoteAddress.replace(/^::ffff:/, '')} ${remotePort}`;
}

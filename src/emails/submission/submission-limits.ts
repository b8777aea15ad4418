import type { Socket } from 'node:net';
import { clientNetwork } from '../../platform/addresses/client-network.js';
import { ClientConnections } from '../../platform/smtp-server/client-connections.js';

/** Open connections of all clients. */
export const MAX_SUBMISSION_CONNECTIONS = 1_000;
const CONNECTIONS_PER_CLIENT = 50;
const CONNECTIONS_PER_ORGANIZATION = 200;
/** How long a client without a key may stay connected: it holds a place that others need. */
const LOGIN_TIMEOUT_MS = 30_000;
/** Ends clients that send one byte at a time. Others connect again. */
const LONGEST_SESSION_MS = 15 * 60_000;
/** Recipients of one message, as every server must take (RFC 5321, 4.5.3.1.8). */
export const MAX_ENVELOPE_RECIPIENTS = 100;

/** Limits the connections of one client and of one organization, so that they cannot keep others out. */
export class SubmissionLimits {
  private readonly clients = new ClientConnections(CONNECTIONS_PER_CLIENT);
  private readonly organizations = new ClientConnections(CONNECTIONS_PER_ORGANIZATION);
  /** By the IDs of their sessions. */
  private readonly sessions = new Map<string, { readonly client: string; organization?: string }>();
  /** By the ends of connections. The library removes listeners of their sockets when TLS begins. */
  private readonly timers = new Map<string, { readonly login: NodeJS.Timeout; readonly longest: NodeJS.Timeout }>();

  /** Ends a connection whose client does not log in, and one that stays too long, however busy it is. */
  begin(socket: Socket): void {
    const end = (): unknown => socket.destroy();
    const name = nameOf(socket);
    const timers = {
      login: setTimeout(end, LOGIN_TIMEOUT_MS).unref(),
      longest: setTimeout(end, LONGEST_SESSION_MS).unref(),
    };
    this.timers.set(name, timers);
    // The library names no address for a connection that ends before its greeting, as those of health checks do.
    socket.once('close', () => this.stopTimers(name, timers));
  }

  /** The number of connections whose time is limited. */
  get size(): number {
    return this.timers.size;
  }

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
    clearTimeout(this.timers.get(nameOf(end))?.login);
    return true;
  }

  disconnect(session: string, end: ConnectionEnd): void {
    const known = this.sessions.get(session);
    this.sessions.delete(session);
    this.stopTimers(nameOf(end));
    if (!known) return;
    this.clients.disconnect(known.client);
    if (known.organization !== undefined) this.organizations.disconnect(known.organization);
  }

  private stopTimers(name: string, timers = this.timers.get(name)): void {
    clearTimeout(timers?.login);
    clearTimeout(timers?.longest);
    if (this.timers.get(name) === timers) this.timers.delete(name);
  }
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

import { AbstractConnector } from 'ioredis';
import { Socket, connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { ServerAddress } from '../redis-servers.js';
import { sharedLookups } from '../shared-lookup.js';
import { oneWritePerTurn } from './one-write-per-turn.js';
import { closeIfNoResponse } from './response-deadline.js';

const DEFAULT_PORT = 6379;
/** How long after the deadline of a command its connection counts as dead. Longer than most pauses of a slow Redis. */
const GRACE_MS = 3_000;
/**
 * When a connection without a `commandTimeout` counts as dead: one of BullMQ, which waits up to 10 seconds for a job.
 * It repeats its commands on the next connection, and a Redis that only paused runs both; but by then the locks of jobs
 * have expired in any case.
 */
const WITHOUT_TIMEOUT_MS = 20_000;

/** The connection options that ioredis passes to a connector. */
export interface ConnectionSettings {
  readonly host?: string;
  readonly port?: number;
  readonly family?: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: ConnectionOptions | true;
  readonly commandTimeout?: number;
  readonly disconnectTimeout: number;
}

/** Finds the primary, once for each new connection. */
export type FindPrimary = (settings: ConnectionSettings) => Promise<ServerAddress>;

/**
 * Creates the connector class through which ioredis opens connections. Retries and command handling stay the same for a
 * single server, Sentinels and a cluster.
 * @param find locates the primary among several servers; a server that reports to be a replica is disconnected again
 */
export function connectorTo(find?: FindPrimary): new (options: unknown) => AbstractConnector {
  return class extends AbstractConnector {
    private readonly settings: ConnectionSettings;

    constructor(options: unknown) {
      super((options as ConnectionSettings).disconnectTimeout);
      this.settings = options as ConnectionSettings;
    }

    /** Never rejects, which would close the connection for good. A failed socket makes ioredis retry instead. */
    override async connect(): Promise<Socket> {
      this.connecting = true;
      delete this.firstError;
      const server = await (find ?? addressIn)(this.settings).catch((error: Error) => void (this.firstError = error));
      this.stream = server && this.connecting ? openTo(server, this.settings) : new Socket().destroy();
      this.stream.once('error', (error) => (this.firstError = error));
      return this.stream;
    }

    /** @param info the server's INFO response */
    override check(info: { readonly role?: string }): boolean {
      return find === undefined || info.role === undefined || info.role === 'master';
    }
  };
}

async function addressIn({ host = 'localhost', port = DEFAULT_PORT }: ConnectionSettings): Promise<ServerAddress> {
  return { host, port };
}

function openTo(server: ServerAddress, settings: ConnectionSettings): Socket {
  const { commandTimeout } = settings;
  const limitMs = commandTimeout === undefined ? WITHOUT_TIMEOUT_MS : commandTimeout + GRACE_MS;
  return closeIfNoResponse(oneWritePerTurn(open(server, settings)), limitMs);
}

function open({ host, port, certificateName }: ServerAddress, { tls, family = 0 }: ConnectionSettings): Socket {
  const target = { host, port, family, lookup: sharedLookups.lookup };
  if (!tls) return connectTcp(target);
  const servername = certificateName !== undefined && !isIP(certificateName) ? { servername: certificateName } : {};
  return connectTls({ ...target, ...servername, ...(tls !== true && tls) });
}

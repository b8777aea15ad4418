import { AbstractConnector } from 'ioredis';
import { Socket, connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { ServerAddress } from './redis-servers.js';
import { sharedLookups } from './shared-lookup.js';

const DEFAULT_PORT = 6379;

/** What ioredis hands to a connector: all options of the connection. */
export interface ConnectionSettings {
  readonly host?: string;
  readonly port?: number;
  readonly family?: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: ConnectionOptions | true;
  readonly disconnectTimeout: number;
}

/** Finds the primary to connect to, anew for each connection. */
export type FindPrimary = (settings: ConnectionSettings) => Promise<ServerAddress>;

/**
 * How ioredis opens connections. Everything beyond that (when to try again, what happens to commands meanwhile) stays
 * the same whether there is one server, a set watched by Sentinels or a cluster.
 * @param find where one server of several is the primary: a server that says it is a replica is left again
 */
export function connectorTo(find?: FindPrimary): new (options: unknown) => AbstractConnector {
  return class extends AbstractConnector {
    private readonly settings: ConnectionSettings;

    constructor(options: unknown) {
      super((options as ConnectionSettings).disconnectTimeout);
      this.settings = options as ConnectionSettings;
    }

    /** Never rejects, which would end the connection for good: a socket that failed makes ioredis try again. */
    override async connect(): Promise<Socket> {
      this.connecting = true;
      delete this.firstError;
      const server = await (find ?? addressIn)(this.settings).catch((error: Error) => void (this.firstError = error));
      this.stream = server && this.connecting ? open(server, this.settings) : new Socket().destroy();
      this.stream.once('error', (error) => (this.firstError = error));
      return this.stream;
    }

    /** @param info what the server says of itself */
    override check(info: { readonly role?: string }): boolean {
      return find === undefined || info.role === undefined || info.role === 'master';
    }
  };
}

async function addressIn({ host = 'localhost', port = DEFAULT_PORT }: ConnectionSettings): Promise<ServerAddress> {
  return { host, port };
}

function open({ host, port, certificateName }: ServerAddress, { tls, family = 0 }: ConnectionSettings): Socket {
  const place = { host, port, family, lookup: sharedLookups.lookup };
  if (!tls) return connectTcp(place);
  const servername = certificateName !== undefined && !isIP(certificateName) ? { servername: certificateName } : {};
  return connectTls({ ...place, ...servername, ...(tls !== true && tls) });
}

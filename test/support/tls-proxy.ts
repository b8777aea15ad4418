import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'tls');

/** The certificate authority to trust, for NODE_EXTRA_CA_CERTS. */
export const TEST_AUTHORITY = join(fixtures, 'ca.crt');

const identity = {
  key: readFileSync(join(fixtures, 'server.key')),
  cert: readFileSync(join(fixtures, 'server.crt')),
};

/** PostgreSQL message formats: SSLRequest, and `S` to accept it. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export type Greeting = 'none' | 'postgres';

/** Puts TLS in front of a server that has none. It disconnects clients that do not request TLS. */
export class TlsProxy {
  /** Number of connections with a completed TLS handshake. */
  secured = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async before(target: URL, greeting: Greeting): Promise<TlsProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new TlsProxy(server);
    server.on('connection', (client) => void proxy.serve(client, target, greeting).catch(() => client.destroy()));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private async serve(client: Socket, target: URL, greeting: Greeting): Promise<void> {
    this.track(client);
    if (greeting === 'postgres') await agreeOnTls(client);
    const secure = new TLSSocket(client, { isServer: true, ...identity });
    secure.on('error', () => client.destroy());
    await once(secure, 'secure');
    this.secured += 1;
    const server = connect(Number(target.port), target.hostname);
    this.track(server);
    secure.pipe(server).pipe(secure);
    server.on('close', () => secure.destroy());
    secure.on('close', () => server.destroy());
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }
}

async function agreeOnTls(client: Socket): Promise<void> {
  const [first] = (await once(client, 'data')) as [Buffer];
  client.pause();
  if (!first.equals(SSL_REQUEST)) throw new Error('This client does not request TLS');
  client.write('S');
}

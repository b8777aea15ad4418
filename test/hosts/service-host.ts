import { createServer } from 'node:http';
import { mkdir } from 'node:fs/promises';
import { connect, createServer as createTcpServer } from 'node:net';
import { startPostgres } from '../../src/embedded/postgres.js';
import { provideRedisBinary } from '../../src/embedded/provide-redis.js';
import { startRedis } from '../../src/embedded/redis.js';
import { prepareServiceHome } from '../../src/embedded/service-directory.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { SmtpStub } from '../support/smtp-stub.js';

/**
 * What runs on a host that holds a service for the others: the server on the loopback address of that host, and a
 * forwarder on the host's own address. Prints one line, the server's URL as others reach it, and ends on SIGTERM.
 */
const [kind, address, directory] = process.argv.slice(2) as [ServiceKind, string, string];

export type ServiceKind = 'postgres' | 'redis' | 'mail';

const LEDGER_PORT = 8025;

interface Service {
  readonly url: string;
  stop(): Promise<void>;
}

const services: Record<ServiceKind, () => Promise<Service>> = {
  async postgres() {
    const server = await startPostgres({
      home: await prepareServiceHome(directory, kind),
      logFile: `${directory}/${kind}.log`,
    });
    await migrate(server.url);
    return server;
  },
  async redis() {
    const executable = await provideRedisBinary(directory);
    return startRedis({
      executable,
      home: await prepareServiceHome(directory, kind),
      logFile: `${directory}/${kind}.log`,
    });
  },
  async mail() {
    const stub = await SmtpStub.listen();
    const ledger = createServer((_request, response) => {
      response.end(JSON.stringify(stub.messages.map(({ emailId, messageId }) => ({ emailId, messageId }))));
    }).listen(LEDGER_PORT, address);
    return { url: stub.url, stop: async () => void ledger.close() };
  },
};

await mkdir(directory, { recursive: true });
const service = await services[kind]();
const inside = new URL(service.url);
const forwarder = createTcpServer((client) => {
  const server = connect(Number(inside.port), inside.hostname);
  client.pipe(server).pipe(client);
  for (const [socket, other] of [
    [client, server],
    [server, client],
  ] as const) {
    socket.on('error', () => other.destroy());
    socket.on('close', () => other.destroy());
  }
}).listen(Number(inside.port), address, () => {
  const outside = new URL(inside);
  outside.hostname = address;
  process.stdout.write(`${outside.href}\n`);
});
process.on('SIGTERM', () => {
  forwarder.close();
  void service.stop().finally(() => process.exit(0));
});

import { once } from 'node:events';
import { createServer } from 'node:net';

const LOWEST = 15_000;
/** Below the ephemeral ports of outgoing connections: a restarted process must find its port free. */
const HIGHEST = 32_000;

/** A port that stays free while its process is down. */
export async function reservedPort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    const server = createServer();
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that operating systems give to connections and to servers without a port of their own: a server that
 * restarts finds its port free. Those of a Redis Cluster also use the port that is higher by 10,000. Above 10,080, the
 * highest port that browsers and fetch refuse.
 */
const [LOWEST, HIGHEST] = [10_081, 22_767];
const TRIES = 50;
/** How often a server is started: another program may take the port that was free. */
export const START_ATTEMPTS = 3;

/** Returns the first free one of the preferred loopback ports, or otherwise any free port. */
export async function freePort(...preferred: readonly number[]): Promise<number> {
  for (const port of [...preferred, ...randomPorts()]) {
    if (await isFree(port)) return port;
  }
  return listenOnce(0);
}

/** Ports of which most are probably free. */
export function randomPorts(): number[] {
  return Array.from({ length: TRIES }, () => randomInt(LOWEST, HIGHEST + 1));
}

/**
 * Returns the port for each attempt to start a server: the one of the start before, if there was one, and then others.
 * @param keepsPort true to allow no others
 */
export function portChoice(last: number | undefined, keepsPort: boolean): (attempt: number) => Promise<number> {
  return async (attempt) => {
    if (last === undefined) return freePort();
    if (keepsPort) return last;
    return attempt === 1 ? freePort(last) : freePort();
  };
}

/** Tells whether a server can listen there on the loopback address, now. */
export async function isFree(port: number): Promise<boolean> {
  return listenOnce(port).then(
    () => true,
    () => false,
  );
}

async function listenOnce(port: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port, host: '127.0.0.1', exclusive: true }, resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}

import { connect } from 'node:net';

const RESPONSE_TIMEOUT_MS = 2_000;

/**
 * Sends one command in the inline form of the Redis protocol and returns the raw response without its last line break.
 * Returns undefined if the port is closed, the password is rejected or the response is late.
 * Opens a new connection per command, which suits polling a server that is still starting.
 */
export async function rawRedisCommand(
  server: { readonly port: number; readonly password: string },
  command: string,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port: server.port, host: '127.0.0.1' });
    let received = '';
    const finish = (response: string | undefined): void => {
      socket.destroy();
      resolve(response);
    };
    socket.setTimeout(RESPONSE_TIMEOUT_MS, () => finish(undefined));
    socket.on('error', () => finish(undefined));
    socket.on('data', (chunk) => (received += chunk.toString()));
    // QUIT makes the server close the connection after its responses, so on close the response is complete.
    socket.on('close', () => finish(/^\+OK\r\n(.*?)\r\n(?:\+OK\r\n)?$/s.exec(received)?.[1]));
    socket.write(`AUTH ${server.password}\r\n${command}\r\nQUIT\r\n`);
  });
}

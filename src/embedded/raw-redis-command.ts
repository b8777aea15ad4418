import { connect } from 'node:net';

const ANSWER_DEADLINE_MS = 2_000;

/**
 * Sends one command in the inline form of the Redis protocol and returns the answer as it came, without the last
 * line end; undefined when nobody listens, the password is refused or the answer does not come in time.
 * A connection per question is right here: a server that is starting cannot be kept waiting for.
 */
export async function rawRedisCommand(
  server: { readonly port: number; readonly password: string },
  command: string,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port: server.port, host: '127.0.0.1' });
    let received = '';
    const finish = (answer: string | undefined): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_DEADLINE_MS, () => finish(undefined));
    socket.on('error', () => finish(undefined));
    socket.on('data', (chunk) => (received += chunk.toString()));
    // QUIT makes the server close the connection after its answers: what arrived until then is complete.
    socket.on('close', () => finish(/^\+OK\r\n(.*?)\r\n(?:\+OK\r\n)?$/s.exec(received)?.[1]));
    socket.write(`AUTH ${server.password}\r\n${command}\r\nQUIT\r\n`);
  });
}

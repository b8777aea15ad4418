import { connect } from 'node:net';

/**
 * Sends text that no HTTP client would send. Returns everything that the server sends until it closes the connection.
 */
export function rawRequest(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    let response = '';
    socket.on('data', (data: Buffer) => (response += data.toString('latin1')));
    socket.on('end', () => resolve(response));
    socket.on('error', reject);
  });
}

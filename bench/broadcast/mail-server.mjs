import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '../framework/programs.mjs';

/** A process that accepts every message. `accepted` resolves to the number of messages so far. */
export async function mailServer(services) {
  const port = await freePort();
  const program = services.run(['bench/broadcast/smtp-stub.mjs'], { PORT: String(port) });
  await program.prints(/listening/);
  return {
    pid: program.pid,
    address: `smtp://127.0.0.1:${port}`,
    accepted: () => acceptedAt(port),
    stop: () => program.stop(),
  };
}

/** The stub replies to NOOP with its count. */
async function acceptedAt(port) {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let said = '';
  socket.on('data', (piece) => (said += piece));
  socket.write('NOOP\r\nQUIT\r\n');
  await once(socket, 'close');
  return Number(/(\d+) accepted/.exec(said)[1]);
}

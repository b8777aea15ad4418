import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A server that accepts connections and never writes to them. */
export interface SilentServer {
  readonly port: number;
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

export async function listenSilently(): Promise<SilentServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.resume().once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, sockets, close };
}

import type { Socket } from 'node:net';
import type { SMTPPoolOptions } from 'nodemailer';

/** Connects to mail servers. */
export interface MailServerSockets {
  connect(host: string, port: number, timeoutMs: number): Promise<Socket>;
}

type GetSocket = NonNullable<SMTPPoolOptions['getSocket']>;

/** Makes nodemailer use these connections, which it upgrades to TLS as its own. */
export function socketsOf(sockets: MailServerSockets, timeoutMs: number): GetSocket {
  return ({ host, port }, done) => {
    sockets.connect(host!, Number(port), timeoutMs).then(
      (connection) => done(null, { connection }),
      (error: Error) => done(error, undefined),
    );
  };
}

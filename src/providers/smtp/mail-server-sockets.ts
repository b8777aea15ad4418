import type { Socket } from 'node:net';
import type { SMTPPoolOptions } from 'nodemailer';
import { TargetRefusedError } from '../../platform/outbound-http/outbound-policy.js';

/** Connects to mail servers. */
export interface MailServerSockets {
  connect(host: string, port: number, timeoutMs: number): Promise<Socket>;
}

/** The code of a failure whose message completes "the SMTP server …". */
export const REFUSED_TARGET = 'EREFUSEDTARGET';

type GetSocket = NonNullable<SMTPPoolOptions['getSocket']>;

/** Makes nodemailer use these connections, which it upgrades to TLS as its own. */
export function socketsOf(sockets: MailServerSockets, timeoutMs: number): GetSocket {
  return ({ host, port }, done) => {
    sockets.connect(host!, Number(port), timeoutMs).then(
      (connection) => done(null, { connection }),
      (error: Error) => done(error instanceof TargetRefusedError ? refused(error) : error, undefined),
    );
  };
}

const refused = (error: TargetRefusedError): Error => Object.assign(new Error(error.message), { code: REFUSED_TARGET });

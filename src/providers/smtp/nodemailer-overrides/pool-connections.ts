import type { Duplex } from 'node:stream';

/** The parts of nodemailer's pool by which the connection of a message is found. */
interface Pool {
  readonly _connections?: readonly { readonly connection?: Connection; readonly _connected?: boolean }[];
}

interface Connection {
  /** The content that is being sent. */
  readonly _currentDataStream?: object | false;
  close(): void;
}

/**
 * Nodemailer takes the first reply after DATA as the reply to the whole message, even if the server cannot have its end
 * yet. It then sends the rest nevertheless, with its next command in the middle, and the server may accept that. This
 * closes the connection instead. Call it as soon as nodemailer reports the reply.
 * @param content nodemailer's stream with the content, if it was sent at all
 * @returns true for a message whose end was not sent: the server certainly has not accepted it
 */
export function cutUnsentContent(pool: object, content: Duplex | undefined): boolean {
  if (content === undefined || isSent(content)) return false;
  const { _connections: resources = [] } = pool as Pool;
  const sending = resources.find(({ connection }) => connection?._currentDataStream === content);
  sending?.connection?.close();
  return sending !== undefined;
}

/** True while a connection of the pool is open and the server has accepted the login. */
export function isConnected(pool: object): boolean {
  const { _connections: resources = [] } = pool as Pool;
  return resources.some(({ _connected: isOpen }) => isOpen === true);
}

/** True once everything was passed to the socket. */
function isSent({ writableFinished, readableLength }: Duplex): boolean {
  return writableFinished && readableLength === 0;
}

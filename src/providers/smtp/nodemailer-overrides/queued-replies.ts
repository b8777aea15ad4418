import SMTPConnection from 'nodemailer/lib/smtp-connection';

/** The parts of nodemailer's connection that this replaces, reads or calls. */
interface Connection {
  _onData: (this: Connection, chunk: Buffer) => void;
  /** The replies that were not processed yet. */
  readonly _responseQueue: readonly string[];
  /** Closes the connection with an error, and forgets the queue. */
  _onResponseTooLarge(): void;
}

/** A server that responds to commands sends one reply to each, and nodemailer sends few commands before it reads. */
const MAX_REPLIES = 100;

const connections = SMTPConnection.prototype as unknown as Connection;
const { _onData: onData } = connections;

/**
 * Nodemailer limits the size of a reply, but not the number of those that wait. A server that sends empty lines without
 * end, 65,000 in a packet, would fill the memory, and the process would do nothing but drop them one by one.
 */
connections._onData = function (chunk) {
  onData.call(this, chunk);
  if (this._responseQueue.length > MAX_REPLIES) this._onResponseTooLarge();
};

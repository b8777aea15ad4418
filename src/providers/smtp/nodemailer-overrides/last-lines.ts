import SMTPConnection from 'nodemailer/lib/smtp-connection';

/** The parts of nodemailer's connection that this replaces or reads. */
interface Connection {
  _processResponse: (this: Connection) => unknown;
  /** The replies that have arrived, the oldest first, each with its lines. */
  readonly _responseQueue: string[];
}

const connections = SMTPConnection.prototype as unknown as Connection;
const { _processResponse: processResponse } = connections;

/**
 * Nodemailer decides by the first line of a reply. All lines must have the same code (RFC 5321, 4.2.1), but servers
 * that relay the replies of several others may mix them. Then the last line counts, as for other mail servers.
 */
connections._processResponse = function () {
  const [reply] = this._responseQueue;
  if (reply?.includes('\n')) this._responseQueue[0] = withCodeOfLastLine(reply);
  return processResponse.call(this);
};

function withCodeOfLastLine(reply: string): string {
  const code = /(?:^|\n)(\d{3})[^\n]*$/.exec(reply)?.[1];
  return code === undefined ? reply : reply.replace(/^\d{3}/gm, code);
}

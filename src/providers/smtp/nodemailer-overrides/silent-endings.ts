import SMTPConnection from 'nodemailer/lib/smtp-connection';

type Done = (error: Error | null, result?: unknown) => void;

/** The parts of nodemailer's connection that this replaces or calls. */
interface Connection {
  quit: (this: Connection) => void;
  reset: (this: Connection, done: Done) => void;
  close(): void;
}

/** How long a server may take to reply to QUIT or RSET. */
const REPLY_MS = 5_000;

const connections = SMTPConnection.prototype as unknown as Connection;
const { quit, reset } = connections;

/**
 * No message waits for the replies to QUIT and RSET, so nothing but the socket's timeout would end a connection whose
 * server sends none. Until then, it would count among the open connections, of which there is a maximum.
 */
connections.quit = function () {
  closeLater(this);
  quit.call(this);
};

connections.reset = function (done) {
  const timer = closeLater(this);
  reset.call(this, (error, result) => {
    clearTimeout(timer);
    done(error, result);
  });
};

/** If the connection has ended by then, nothing happens. */
function closeLater(connection: Connection): NodeJS.Timeout {
  return setTimeout(() => connection.close(), REPLY_MS).unref();
}

import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpFailure } from '../smtp-failure.js';

type Done = (error: Error | null, result?: unknown) => void;

/** The parts of nodemailer's connection that this replaces or reads. */
interface Connection {
  send: (this: Connection, envelope: unknown, message: object, done: Done) => void;
  /** Of the message that is being sent. */
  readonly _envelope?: { readonly rejectedErrors?: readonly SmtpFailure[] };
}

const connections = SMTPConnection.prototype as unknown as Connection;
const { send } = connections;
/** By the content of the message that they send. */
const sending = new WeakMap<object, Connection>();

/**
 * Nodemailer reports which recipients the server refused only with its acceptance of the message, or if it refused
 * all of them. This adds them to a failure after that, so that an address that does not exist is known whatever
 * becomes of the message.
 */
connections.send = function (envelope, message, done) {
  sending.set(message, this);
  send.call(this, envelope, message, (error, result) => {
    const { rejectedErrors = [] } = this._envelope ?? {};
    const failure = error as (SmtpFailure & { rejectedErrors?: readonly SmtpFailure[] }) | null;
    if (failure?.command === 'DATA' && rejectedErrors.length > 0) failure.rejectedErrors ??= rejectedErrors;
    done(error, result);
  });
};

/**
 * The failures of the recipients that the server refused, of a message that has been sent although its reply was lost.
 */
export function failuresOfRecipients(content: object): readonly SmtpFailure[] {
  return sending.get(content)?._envelope?.rejectedErrors ?? [];
}

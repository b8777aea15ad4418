import type { Readable } from 'node:stream';
import {
  createTransport,
  type SendMailOptions,
  type SMTPPoolOptions,
  type SMTPPoolSentMessageInfo,
  type Transporter,
} from 'nodemailer';
import { readableAcceptance } from '../failure-reason.js';
import { refusalOfUnsafe } from '../header-safety.js';
import type { DeliveryOutcome, DeliveryProvider, DkimKey, HandOver, OutgoingEmail } from '../provider.js';
import { dkimSigning } from './dkim-signing.js';
import { GuardedContent } from './guarded-content.js';
import { cutUnsentContent, isConnected } from './nodemailer-overrides/pool-connections.js';
import { socketsOf, type MailServerSockets } from './mail-server-sockets.js';
import './nodemailer-overrides/last-lines.js';
import './nodemailer-overrides/queued-replies.js';
import { failuresOfRecipients } from './nodemailer-overrides/refused-recipients.js';
import './nodemailer-overrides/silent-endings.js';
import { declareReport, toDeliveryOptions, toMailOptions } from './smtp-message.js';
import { SigningMemory } from './signing-memory.js';
import { recipientResults } from './recipient-results.js';
import type { SmtpFailure } from './smtp-failure.js';
import { outcomeOfFailure, providerIdOf, type ContentProgress } from './smtp-outcome.js';
import { SplicedContent } from './spliced-content/spliced-content.js';
import { readSmtpUrl } from '../../platform/config/smtp-server-address.js';

export interface SmtpOptions {
  readonly url: string;
  /** Maximum number of open connections. Further messages wait for a free one. */
  readonly maxConnections: number;
  /** For a server that an organization chose. Then its URL cannot raise limits. */
  readonly sockets?: MailServerSockets;
  /** Shared with other providers; by default its own. */
  readonly signingMemory?: SigningMemory;
}

const CONNECT_TIMEOUT_MS = 30_000;
/** Longer than any deadline, because `signal` bounds the wait for an unresponsive server. */
const SOCKET_TIMEOUT_MS = 15 * 60_000;
const TIMEOUTS = {
  connectionTimeout: CONNECT_TIMEOUT_MS,
  greetingTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
};
const IDLE_CONNECTION_MS = 60_000;
/** Replies to all recipients stay in memory until the message ends. */
const MAX_REPLY_BYTES = 16 * 1024;
/** How often a message may move to another connection because a pooled one was closed. */
const MAX_MOVES = 3;

/** Progress of a message to which the server replied too early. */
const CUT_CONTENT: ContentProgress = { hasBegun: true, isComplete: false };
const NO_FREE_CONNECTION = 'No connection to the SMTP server became free in time';
const NO_TURN_TO_SIGN = 'Other emails with attachments took too long to be signed';
const EARLY_ACCEPTANCE = 'The SMTP server accepted the message before it was complete';

/** Passed through nodemailer with a mail. */
interface Outbound {
  readonly email: OutgoingEmail;
  readonly handOver: HandOver;
  /** How often its content was composed: once for each connection that it got. */
  turns: number;
  /** The stream that its content was last read from. */
  content?: GuardedContent;
}
type TrackedMail = SendMailOptions & { readonly outbound: Outbound; readonly signer?: DkimKey };

interface Sending {
  readonly outcome: DeliveryOutcome;
  /** True if the message moved to another connection after its attachments had been read: it can be sent once more. */
  readonly canRepeat?: boolean;
}

/** Delivers over a pool of SMTP connections, with a result for each recipient. */
export class SmtpProvider implements DeliveryProvider {
  readonly name = 'smtp';
  readonly signsWithDkim = true;
  private readonly spliced = new SplicedContent();
  private readonly signingMemory: SigningMemory;
  private readonly transport: Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>;

  constructor({ url, maxConnections, sockets, signingMemory = new SigningMemory() }: SmtpOptions) {
    this.signingMemory = signingMemory;
    this.transport = createTransport({
      maxConnections,
      maxRequeues: MAX_MOVES,
      idleTimeout: IDLE_CONNECTION_MS,
      ...TIMEOUTS,
      ...readSmtpUrl(url),
      ...(sockets && ofOrganization(sockets, maxConnections)),
      pool: true,
      maxResponseSize: MAX_REPLY_BYTES,
      // Destroys sockets immediately, because a slow server could keep a half-closed connection open.
      socketCloseTimeout: 0,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    this.transport.use('stream', ({ data, message }, done) => {
      const { outbound, signer } = data as unknown as TrackedMail;
      if (message) declareReport(message, outbound.email);
      if (signer) message?.processFunc((content) => withSignature(content, signer));
      message?.processFunc((content) => {
        outbound.turns += 1;
        outbound.content = new GuardedContent(outbound.handOver);
        content.once('error', (error) => outbound.content?.destroy(error));
        return content.pipe(outbound.content);
      });
      done();
    });
  }

  async deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    const unsafe = refusalOfUnsafe(email);
    if (unsafe) return unsafe;
    const { attachments = [], dkim } = email;
    if (attachments.length === 0) return (await this.send(email, signal, handOver)).outcome;
    const send = async (): Promise<DeliveryOutcome> => {
      // A message whose connection was closed moves to another one, but its attachments can be read only once.
      for (let moves = 0; ; moves++) {
        const { outcome, canRepeat } = await this.send(email, signal, handOver);
        if (!canRepeat || moves === MAX_MOVES) return outcome;
      }
    };
    const bytes = attachments.reduce((sum, { size }) => sum + (size * 4) / 3, 0);
    if (!dkim) return send();
    return (
      (await this.signingMemory.hold(bytes, send, signal)) ?? { kind: 'retry', reason: NO_TURN_TO_SIGN, untried: true }
    );
  }

  private async send(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<Sending> {
    const outbound: Outbound = { email, handOver, turns: 0 };
    const mail: TrackedMail = { ...this.optionsOf(email), signal, outbound, ...(email.dkim && { signer: email.dkim }) };
    try {
      const acceptance = await this.transport.sendMail(mail);
      if (this.isCut(outbound)) return { outcome: { kind: 'retry', reason: EARLY_ACCEPTANCE } };
      const recipients = recipientResults(email.envelopeRecipients, acceptance.rejectedErrors);
      const providerId = providerIdOf(acceptance, email.messageId);
      const response = readableAcceptance(acceptance.response ?? '');
      const details = { ...(response && { response }), ...(recipients && { recipients }) };
      return { outcome: { kind: 'accepted', providerId, ...details } };
    } catch (error) {
      const failure = error as SmtpFailure;
      if (this.isCut(outbound)) return { outcome: outcomeOfFailure(failure, CUT_CONTENT, email) };
      const { isComplete, isDenied } = outbound.content ?? {};
      const hasMoved = failure.code === 'ESTREAM' && outbound.turns > 1;
      const gotNoTurn = failure.code === 'EABORT' && outbound.turns === 0 && isConnected(this.transport.transporter);
      if (gotNoTurn) return { outcome: { kind: 'retry', reason: NO_FREE_CONNECTION, untried: true } };
      const canRepeat = hasMoved && !signal.aborted && !isComplete && !isDenied;
      return {
        outcome: outcomeOfFailure(withRecipients(failure, outbound.content), outbound.content, email),
        canRepeat,
      };
    }
  }

  /** True when the server replied too early: then the end of the message is never sent. */
  private isCut({ content }: Outbound): boolean {
    if (!cutUnsentContent(this.transport.transporter, content?.target)) return false;
    content?.destroy();
    return true;
  }

  private optionsOf(email: OutgoingEmail): SendMailOptions {
    const raw = this.spliced.compose(email);
    return raw === undefined ? toMailOptions(email) : { ...toDeliveryOptions(email), raw: Buffer.from(raw) };
  }

  /** Aborts deliveries in flight. Call it after the last delivery has returned. */
  close(): Promise<void> {
    this.transport.close({ force: true });
    return Promise.resolve();
  }
}

/** A message whose reply was lost may still have failed for some of its recipients before. */
function withRecipients(failure: SmtpFailure, content: GuardedContent | undefined): SmtpFailure {
  if (!content?.isComplete || failure.rejectedErrors) return failure;
  return Object.assign(failure, { rejectedErrors: failuresOfRecipients(content) });
}

/**
 * Replaces nodemailer's signing, which cannot protect missing headers and sends a message unsigned if signing fails.
 */
function withSignature(content: Readable, key: DkimKey): Readable {
  const signing = dkimSigning(key);
  content.once('error', (error) => signing.destroy(error));
  return content.pipe(signing);
}

/**
 * A server that offers no login would otherwise get mail without one: workers must not deliver to any mail exchanger.
 */
function ofOrganization(sockets: MailServerSockets, maxConnections: number) {
  return { ...TIMEOUTS, maxConnections, forceAuth: true, getSocket: socketsOf(sockets, CONNECT_TIMEOUT_MS) };
}

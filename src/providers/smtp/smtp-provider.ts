import type { Readable } from 'node:stream';
import {
  createTransport,
  type SendMailOptions,
  type SMTPPoolOptions,
  type SMTPPoolSentMessageInfo,
  type Transporter,
} from 'nodemailer';
import { findUnsafeField } from '../header-safety.js';
import type { DeliveryOutcome, DeliveryProvider, DkimKey, HandOver, OutgoingEmail } from '../provider.js';
import { dkimSigning } from './dkim-signing.js';
import { GuardedContent } from './guarded-content.js';
import { toMailOptions } from './smtp-message.js';
import { outcomeOfFailure, providerIdOf, recipientResults, type SmtpFailure } from './smtp-outcome.js';
import { readSmtpUrl } from '../../platform/config/smtp-server-address.js';

export interface SmtpOptions {
  readonly url: string;
  /** Most connections open at once; further messages wait for a free one. */
  readonly maxConnections: number;
}

const CONNECT_TIMEOUT_MS = 30_000;
/** Longer than any deadline: what a silent server holds is bounded by the signal, not by this. */
const SILENCE_TIMEOUT_MS = 15 * 60_000;
const IDLE_CONNECTION_MS = 60_000;
/** Times a message moves to another connection because the pooled one turned out to be closed. */
const MOST_MOVES = 3;

/** Travels with a mail through nodemailer, to bring back the stream its content was last read from. */
interface Outbound {
  readonly handOver: HandOver;
  content?: GuardedContent;
}
type TrackedMail = SendMailOptions & { readonly outbound: Outbound; readonly signer?: DkimKey };

/** Delivers over SMTP, through a pool of connections, with a result for each recipient. */
export class SmtpProvider implements DeliveryProvider {
  readonly name = 'smtp';
  readonly signsWithDkim = true;
  private readonly transport: Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>;

  constructor({ url, maxConnections }: SmtpOptions) {
    this.transport = createTransport({
      maxConnections,
      maxRequeues: MOST_MOVES,
      idleTimeout: IDLE_CONNECTION_MS,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      ...readSmtpUrl(url),
      pool: true,
      // Destroyed at once: a server that drips could hold on to a connection that is only half closed.
      socketCloseTimeout: 0,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    this.transport.use('stream', ({ data, message }, done) => {
      const { outbound, signer } = data as unknown as TrackedMail;
      if (signer) message?.processFunc((content) => signed(content, signer));
      message?.processFunc((content) => {
        outbound.content = new GuardedContent(outbound.handOver);
        content.once('error', (error) => outbound.content?.destroy(error));
        return content.pipe(outbound.content);
      });
      done();
    });
  }

  async deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    const unsafe = findUnsafeField(email);
    if (unsafe !== undefined) return { kind: 'refused', reason: `${unsafe} holds characters that no mail can carry` };
    const outbound: Outbound = { handOver };
    const mail: TrackedMail = { ...toMailOptions(email), signal, outbound, ...(email.dkim && { signer: email.dkim }) };
    try {
      const acceptance = await this.transport.sendMail(mail);
      const recipients = recipientResults(email.envelopeRecipients, acceptance);
      const providerId = providerIdOf(acceptance, email.messageId);
      return { kind: 'accepted', providerId, ...(recipients && { recipients }) };
    } catch (error) {
      return outcomeOfFailure(error as SmtpFailure, outbound.content, email);
    }
  }

  async verify(): Promise<void> {
    await this.transport.verify();
  }

  /** Cuts whatever is still under way: to be called once the last delivery is back. */
  close(): Promise<void> {
    this.transport.close({ force: true });
    return Promise.resolve();
  }
}

/** Not by nodemailer, which cannot protect a header that is not there, and sends unsigned what it fails to sign. */
function signed(content: Readable, key: DkimKey): Readable {
  const signing = dkimSigning(key);
  content.once('error', (error) => signing.destroy(error));
  return content.pipe(signing);
}

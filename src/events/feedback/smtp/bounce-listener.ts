import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Clock } from '../../../platform/clock/clock.js';
import type { Logger } from '../../../platform/logging/logger.js';
import {
  CLOSE_TIMEOUT_MS,
  closeSmtp,
  endAfter,
  listenForSmtp,
  smtpPortOf,
} from '../../../platform/smtp-server/smtp-listening.js';
import { SmtpRefusal } from '../../../platform/smtp-server/smtp-refusal.js';
import type { BounceIntake } from './bounce-intake.js';
import type { BounceMetrics } from './bounce-metrics.js';
import { ClientLimits, MAX_CONNECTIONS } from './client-limits.js';
import { MAX_MESSAGE_BYTES } from './mail-message.js';
import { readBeginning } from './read-beginning.js';

export interface BounceListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Name of this server in its greeting. */
  readonly name: string;
}

const MAX_RECIPIENTS = 50;
const IDLE_MS = 60_000;
/** Ends clients that send one byte at a time. Mail servers connect again. */
const LONGEST_SESSION_MS = 10 * 60_000;

/**
 * The SMTP server to which mail servers return bounces and abuse reports. It accepts mail only for our return paths.
 */
export class BounceListener {
  private readonly server: SMTPServer;
  private readonly limits = new ClientLimits();
  /** Sessions that count against the limit of their client. */
  private readonly counted = new Set<string>();

  constructor(
    private readonly intake: BounceIntake,
    private readonly metrics: BounceMetrics,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly options: BounceListenerOptions,
  ) {
    this.server = new SMTPServer({
      name: options.name,
      banner: 'Mailbeacon',
      authOptional: true,
      // STARTTLS is off, because there is no certificate.
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      size: MAX_MESSAGE_BYTES,
      rejectOversized: true,
      maxRecipients: MAX_RECIPIENTS,
      maxClients: MAX_CONNECTIONS,
      socketTimeout: IDLE_MS,
      closeTimeout: CLOSE_TIMEOUT_MS,
      onConnect: (session, done) => done(this.connect(session)),
      onRcptTo: (address, session, done) => done(this.checkRecipient(address, session)),
      onData: (stream, session, done) => {
        this.takeMessage(stream, session).then((reply) => done(null, reply), done);
      },
      onClose: (session) => this.disconnect(session),
    });
    // Errors of single connections, such as a reset by the client.
    this.server.on('error', (error) => logger.debug({ err: error }, 'Error on a connection of the bounce listener'));
    this.server.server.on('connection', endAfter(LONGEST_SESSION_MS));
    metrics.observeConnections(() => this.server.connections.size);
  }

  get port(): number {
    return smtpPortOf(this.server);
  }

  get isListening(): boolean {
    return this.server.server.listening;
  }

  /** @throws OperatorError when the port is taken or not allowed */
  async listen(): Promise<void> {
    const { host, port } = this.options;
    await listenForSmtp(this.server, { host, port, setting: 'BOUNCE_SMTP_PORT' });
    this.logger.info({ port: this.port }, 'Listening for bounces');
  }

  /** Accepts no new connections, and waits a few seconds for messages that are being received. */
  close(): Promise<void> {
    return closeSmtp(this.server);
  }

  private connect({ id, remoteAddress }: SMTPServerSession): SmtpRefusal | undefined {
    if (!this.limits.connect(remoteAddress)) {
      this.metrics.countRefusal('too-many-connections');
      return new SmtpRefusal(421, '4.7.0 Too many connections from your address');
    }
    this.counted.add(id);
    return undefined;
  }

  private disconnect({ id, remoteAddress }: SMTPServerSession): void {
    if (this.counted.delete(id)) this.limits.disconnect(remoteAddress);
  }

  private checkRecipient({ address }: SMTPServerAddress, session: SMTPServerSession): SmtpRefusal | undefined {
    if (this.intake.pathOf(address) || this.intake.isFeedbackAddress(address)) return undefined;
    this.metrics.countRefusal('unknown-recipient');
    const mayGoOn = this.limits.allowsWrongRecipient(session.remoteAddress, this.clock.now());
    return mayGoOn
      ? new SmtpRefusal(550, '5.1.1 No such address')
      : new SmtpRefusal(421, '4.7.0 Too many wrong addresses, try again later');
  }

  /** Returns the reply once the events of the message are durable. @throws SmtpRefusal */
  private async takeMessage(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const { mailFrom, rcptTo } = session.envelope;
    const addresses = rcptTo.map(({ address }) => address.toLowerCase()).filter((one) => this.intake.pathOf(one));
    const raw = await readBeginning(stream);
    if (stream.sizeExceeded) {
      this.metrics.countRefusal('too-large');
      // The library responds with 552.
      return '';
    }
    if (!this.limits.allowsMessage(session.remoteAddress, addresses, this.clock.now())) {
      this.metrics.countRefusal('too-many-messages');
      throw new SmtpRefusal(450, '4.7.1 Too many messages, try again later');
    }
    const paths = addresses.flatMap((address) => this.intake.pathOf(address) ?? []);
    const sender = mailFrom ? mailFrom.address : '';
    try {
      return `2.0.0 Ok: ${await this.intake.take({ transport: 'smtp', raw, sender, paths })}`;
    } catch (error) {
      this.logger.warn({ reason: String(error) }, 'Could not store a bounce; the mail server will repeat it');
      throw new SmtpRefusal(451, '4.3.0 Could not be stored, try again later');
    }
  }
}

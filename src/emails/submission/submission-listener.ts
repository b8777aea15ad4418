import { SMTPServer } from 'smtp-server';
import type { ListenAddress } from '../../platform/errors/port-error.js';
import { CLOSE_TIMEOUT_MS, closeSmtp, listenForSmtp, smtpPortOf } from '../../platform/smtp-server/smtp-listening.js';
import { SubmissionConversation, type SubmissionParts } from './submission-conversation.js';
import { MAX_SUBMISSION_CONNECTIONS, MAX_ENVELOPE_RECIPIENTS, SubmissionLimits } from './submission-limits.js';
import { improveReplies } from './smtp-server-overrides/replies.js';
import { certificateNameOf, type TlsFiles, type TlsIdentity } from './submission-tls.js';

/** As many as a body of POST /api/send may have. */
const MAX_MESSAGE_BYTES = 30 * 1024 * 1024;
const IDLE_MS = 60_000;
/** How soon a renewed certificate is used. */
const TLS_CHECK_MS = 60_000;

interface SubmissionListenerOptions extends ListenAddress {
  /** Shown to clients if the certificate has no name. */
  readonly name: string;
}

/** The SMTP server to which organizations hand over mail, with an API key as password. */
export class SubmissionListener {
  private server: SMTPServer | undefined;
  private tlsTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly parts: SubmissionParts,
    private readonly options: SubmissionListenerOptions,
    private readonly limits = new SubmissionLimits(),
  ) {}

  get port(): number {
    return this.server ? smtpPortOf(this.server) : 0;
  }

  /**
   * @param files of the certificate, which may be renewed
   * @throws OperatorError when the port is taken or not allowed
   */
  async listen(identity: TlsIdentity, files?: TlsFiles): Promise<void> {
    const { metrics, logger } = this.parts;
    const conversation = new SubmissionConversation(this.parts, this.limits);
    const server = new SMTPServer({
      ...identity,
      name: this.nameFor(identity),
      banner: 'Mailbeacon',
      authMethods: ['PLAIN', 'LOGIN'],
      disableReverseLookup: true,
      size: MAX_MESSAGE_BYTES,
      rejectOversized: true,
      maxRecipients: MAX_ENVELOPE_RECIPIENTS,
      maxClients: MAX_SUBMISSION_CONNECTIONS,
      socketTimeout: IDLE_MS,
      closeTimeout: CLOSE_TIMEOUT_MS,
      onConnect: (session, done) => {
        improveReplies(server, session);
        conversation.connect(session).then(() => done(), done);
      },
      onAuth: (auth, session, done) => {
        conversation.logIn(auth, session).then((user) => done(null, { user }), done);
      },
      onMailFrom: (_, session, done) => {
        conversation.beginMessage(session).then(() => done(), done);
      },
      onRcptTo: (address, session, done) => {
        conversation.addRecipient(address, session).then(() => done(), done);
      },
      onData: (stream, session, done) => {
        conversation.takeMessage(stream, session).then((reply) => done(null, reply), done);
      },
      onClose: (session) => this.limits.disconnect(session.id, session),
    });
    // Errors of single connections, such as a failed handshake.
    server.on('error', (error) => logger.debug({ err: error }, 'Error on a connection of the SMTP submission'));
    server.server.on('connection', (socket) => this.limits.begin(socket));
    await listenForSmtp(server, this.options);
    this.server = server;
    metrics.observeConnections(() => server.connections.size);
    if (files) this.tlsTimer = setInterval(() => void this.renewCertificate(server, files), TLS_CHECK_MS).unref();
    logger.info({ port: this.port }, 'Listening for mail of organizations');
  }

  async close(): Promise<void> {
    clearInterval(this.tlsTimer);
    if (this.server) await closeSmtp(this.server);
  }

  /** Not the name of the machine, which the library would show. */
  private nameFor(identity: TlsIdentity): string {
    return certificateNameOf(identity) ?? this.options.name;
  }

  private async renewCertificate(server: SMTPServer, files: TlsFiles): Promise<void> {
    try {
      const renewed = await files.readIfChanged();
      if (!renewed) return;
      server.updateSecureContext({ ...renewed });
      server.options.name = this.nameFor(renewed);
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'The renewed TLS certificate cannot be used; the one before stays in use');
    }
  }
}

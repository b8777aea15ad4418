import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerAuthentication,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from 'smtp-server';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import type { BodyBudget } from '../../platform/http/body-budget.js';
import type { ListenAddress } from '../../platform/errors/port-error.js';
import type { Logger } from '../../platform/logging/logger.js';
import { CLOSE_TIMEOUT_MS, closeSmtp, listenForSmtp, smtpPortOf } from '../../platform/smtp-server/smtp-listening.js';
import { SmtpRefusal } from '../../platform/smtp-server/smtp-refusal.js';
import { collectMessage } from './collect-message.js';
import { MAX_SUBMISSION_CONNECTIONS, MAX_ENVELOPE_RECIPIENTS, SubmissionLimits } from './submission-limits.js';
import { improveReplies } from './smtp-server-overrides/replies.js';
import type { SubmissionLogins } from './submission-logins.js';
import type { SubmissionMetrics, SubmissionStep } from './submission-metrics.js';
import { smtpRefusalOf, TRY_AGAIN, tryAgain } from './submission-reply.js';
import { certificateNameOf, type TlsFiles, type TlsIdentity } from './submission-tls.js';
import type { Submission, SubmitMessage } from './submit-message.js';

/** As many as a body of POST /api/send may have. */
const MAX_MESSAGE_BYTES = 30 * 1024 * 1024;
const IDLE_MS = 60_000;
/** How soon a renewed certificate is used. */
const TLS_CHECK_MS = 60_000;

/** A client that has logged in. */
interface LoggedIn {
  readonly key: string;
  /** For the message that is being received. */
  caller: Caller;
  /** As we store their addresses. */
  recipients: string[];
}

export interface SubmissionParts {
  readonly logins: SubmissionLogins;
  readonly messages: SubmitMessage;
  readonly budget: BodyBudget;
  readonly metrics: SubmissionMetrics;
  readonly logger: Logger;
}

interface SubmissionListenerOptions extends ListenAddress {
  /** Shown to clients if the certificate has no name. */
  readonly name: string;
}

/** The SMTP server to which organizations hand over mail, with an API key as password. */
export class SubmissionListener {
  private server: SMTPServer | undefined;
  private readonly clients = new WeakMap<SMTPServerSession, LoggedIn>();
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
        done(this.connect(session));
      },
      onAuth: (auth, session, done) => {
        this.step('login', () => this.logIn(auth, session)).then((user) => done(null, { user }), done);
      },
      onMailFrom: (_, session, done) => {
        this.step('sender', () => this.beginMessage(session)).then(() => done(), done);
      },
      onRcptTo: (address, session, done) => {
        this.step('recipient', () => this.addRecipient(address, session)).then(() => done(), done);
      },
      onData: (stream, session, done) => {
        this.step('message', () => this.takeMessage(stream, session)).then((reply) => done(null, reply), done);
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

  /** Takes a step of a conversation. @throws SmtpRefusal for every problem */
  private async step<Result>(name: SubmissionStep, take: () => Promise<Result>): Promise<Result> {
    try {
      return await take();
    } catch (error) {
      const refusal = smtpRefusalOf(error);
      if (!refusal) this.parts.logger.error({ err: error, step: name }, 'Unexpected error in the SMTP submission');
      else if (refusal.responseCode === TRY_AGAIN)
        this.parts.logger.warn({ err: error, step: name }, 'Could not accept mail over SMTP; the client will retry');
      throw this.refuse(name, refusal ?? tryAgain());
    }
  }

  private refuse(step: SubmissionStep, refusal: SmtpRefusal): SmtpRefusal {
    const { metrics, logger } = this.parts;
    metrics.countRefusal(step, refusal.responseCode);
    // Strangers must not be able to fill the log.
    const level = step === 'connection' || step === 'login' ? 'debug' : 'info';
    logger[level]({ step, code: refusal.responseCode }, 'Refused over SMTP');
    return refusal;
  }

  private connect({ id, remoteAddress }: SMTPServerSession): SmtpRefusal | undefined {
    if (this.limits.connect(id, remoteAddress)) return undefined;
    return this.refuse('connection', new SmtpRefusal(421, '4.7.0 Too many connections from your address'));
  }

  private async logIn(auth: SMTPServerAuthentication, session: SMTPServerSession): Promise<string> {
    const key = auth.password ?? '';
    const caller = await this.parts.logins.logIn(key, session.remoteAddress);
    if (!this.limits.logIn(session.id, caller.organizationId, session))
      throw new SmtpRefusal(421, '4.7.0 Too many connections of your organization');
    this.clients.set(session, { key, caller, recipients: [] });
    return caller.organizationId;
  }

  private async beginMessage(session: SMTPServerSession): Promise<void> {
    const client = this.clients.get(session)!;
    client.caller = await this.parts.logins.beginMessage(client.key, session.remoteAddress);
    client.recipients = [];
  }

  private async addRecipient({ address }: SMTPServerAddress, session: SMTPServerSession): Promise<void> {
    const { caller, recipients } = this.clients.get(session)!;
    recipients.push(await this.parts.messages.requireRecipient(caller, address));
  }

  /** @returns the reply once the emails are stored */
  private async takeMessage(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const { key, caller: admitted, recipients } = this.clients.get(session)!;
    const reservation = this.parts.budget.open(admitted.organizationId);
    try {
      const raw = await collectMessage(stream, reservation);
      // The library responds with 552.
      if (!raw) return '';
      const caller = await this.parts.logins.check(key, session.remoteAddress);
      const startedAt = performance.now();
      const reserve = (bytes: number): void => reservation.grow(bytes);
      const { mailFrom } = session.envelope;
      const envelope = { sender: mailFrom ? mailFrom.address : '', recipients };
      const submission = await this.parts.messages.submit({ ...caller, reserve }, envelope, raw);
      const { organizationId } = caller;
      const [emails, ms] = [submission.ids.length, Math.round(performance.now() - startedAt)];
      this.parts.metrics.countEmails(emails);
      this.parts.logger.info({ organizationId, emails, bytes: raw.length, ms }, 'Accepted a message over SMTP');
      return replyTo(submission);
    } finally {
      reservation.release();
    }
  }
}

function replyTo({ ids, suppressed }: Submission): string {
  const count = ids.length === 1 ? 'Queued as' : `Queued as ${ids.length} emails, the first is`;
  return `2.0.0 ${count} ${ids[0]}${suppressed > 0 ? `; ${suppressed} suppressed` : ''}`;
}

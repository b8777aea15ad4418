import type { SMTPServerAddress, SMTPServerAuthentication, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import type { BodyBudget } from '../../platform/http/body-budget.js';
import type { Logger } from '../../platform/logging/logger.js';
import { SmtpRefusal } from '../../platform/smtp-server/smtp-refusal.js';
import { collectMessage } from './collect-message.js';
import type { SubmissionLimits } from './submission-limits.js';
import type { SubmissionLogins } from './submission-logins.js';
import type { SubmissionMetrics, SubmissionStep } from './submission-metrics.js';
import { smtpRefusalOf, TRY_AGAIN, tryAgain } from './submission-reply.js';
import type { Submission, SubmitMessage } from './submit-message.js';

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

/**
 * Takes the steps of each client, from its connection to its messages. All throw an `SmtpRefusal` for every problem.
 */
export class SubmissionConversation {
  private readonly clients = new WeakMap<SMTPServerSession, LoggedIn>();

  constructor(
    private readonly parts: SubmissionParts,
    private readonly limits: SubmissionLimits,
  ) {}

  connect({ id, remoteAddress }: SMTPServerSession): Promise<void> {
    return this.step('connection', () => {
      if (!this.limits.connect(id, remoteAddress))
        throw new SmtpRefusal(421, '4.7.0 Too many connections from your address');
    });
  }

  /** @returns the organization */
  logIn(auth: SMTPServerAuthentication, session: SMTPServerSession): Promise<string> {
    return this.step('login', async () => {
      const key = auth.password ?? '';
      const caller = await this.parts.logins.logIn(key, session.remoteAddress);
      if (!this.limits.logIn(session.id, caller.organizationId, session))
        throw new SmtpRefusal(421, '4.7.0 Too many connections of your organization');
      this.clients.set(session, { key, caller, recipients: [] });
      return caller.organizationId;
    });
  }

  beginMessage(session: SMTPServerSession): Promise<void> {
    return this.step('sender', async () => {
      const client = this.clients.get(session)!;
      client.caller = await this.parts.logins.beginMessage(client.key, session.remoteAddress);
      client.recipients = [];
    });
  }

  addRecipient({ address }: SMTPServerAddress, session: SMTPServerSession): Promise<void> {
    return this.step('recipient', async () => {
      const { caller, recipients } = this.clients.get(session)!;
      recipients.push(await this.parts.messages.requireRecipient(caller, address));
    });
  }

  /** @returns the reply once the emails are stored */
  takeMessage(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    return this.step('message', () => this.storeMessage(stream, session));
  }

  private async storeMessage(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
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

  private async step<Result>(name: SubmissionStep, take: () => Result | Promise<Result>): Promise<Result> {
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
}

function replyTo({ ids, suppressed }: Submission): string {
  const count = ids.length === 1 ? 'Queued as' : `Queued as ${ids.length} emails, the first is`;
  return `2.0.0 ${count} ${ids[0]}${suppressed > 0 ? `; ${suppressed} suppressed` : ''}`;
}

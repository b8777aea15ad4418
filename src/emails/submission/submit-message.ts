import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import type { Clock } from '../../platform/clock/clock.js';
import { Database } from '../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { SmtpRefusal } from '../../platform/smtp-server/smtp-refusal.js';
import { RefusedMessageError } from '../accept/batch/refused-message-error.js';
import { SendBatch } from '../accept/batch/send-batch.js';
import { FIND_SUPPRESSED } from '../accept/suppressed-statement.js';
import { InternationalAddressError, RecipientsSuppressedError } from '../email-errors.js';
import type { IdempotentRequest } from '../idempotency/idempotent-request.js';
import { addressKey, hasInternationalLocalPart, parseMailbox } from '../mailbox.js';
import type { SuppressionReason } from '../../events/recipient-event.js';
import { readSubmittedMessage, type SubmittedMessage } from './read-submitted-message.js';

const RECENT_MS = 60 * 60_000;

/** Whom the commands of a conversation name. */
interface Envelope {
  readonly sender: string;
  readonly recipients: readonly string[];
}

/** The emails of one message. */
export interface Submission {
  /** At least one. */
  readonly ids: readonly string[];
  /** Recipients that get nothing. */
  readonly suppressed: number;
}

/** Stores messages that arrive over SMTP, as a batch with an email for each recipient. */
@Injectable()
export class SubmitMessage {
  constructor(
    private readonly database: Database,
    private readonly batches: SendBatch,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Checks a recipient of the envelope, so that its refusal is about this recipient alone.
   * @returns the address as we store it
   * @throws SmtpRefusal, InternationalAddressError, RecipientsSuppressedError
   */
  async requireRecipient({ organizationId }: Caller, written: string): Promise<string> {
    const address = parseMailbox(written)?.address;
    if (address === undefined) throw invalidAddress(written);
    const values = { organizationId, keys: [addressKey(address)], unsubscribes: [false] };
    // Recipients do not count against the rate limit.
    const [found] = await this.database.inReadTurn(organizationId, () =>
      FIND_SUPPRESSED.run<{ reason: SuppressionReason }>(this.database, values),
    );
    if (found) throw new RecipientsSuppressedError([{ address, reason: found.reason }]);
    return address;
  }

  /**
   * Stores an email for each recipient, or none of them. A message with a Message-ID that arrives again within a day,
   * because its client has not seen our reply, is not sent again, nor is one with a recent date instead.
   * @throws DomainError, SmtpRefusal if every recipient is suppressed
   */
  async submit(caller: Caller, { sender, recipients }: Envelope, raw: Buffer): Promise<Submission> {
    const message = await readSubmittedMessage(raw, sender);
    const distinct = [...new Map(recipients.map((address) => [addressKey(address), address])).values()];
    const repeatable = this.isDistinct(message)
      ? repeatableAs(raw, [message.from, ...[...distinct].sort()])
      : undefined;
    const requests = distinct.map((recipient) => message.to(recipient));
    const { emails } = await this.batches
      .send(caller, requests, repeatable, (problem) => !(problem instanceof RecipientsSuppressedError))
      .catch((error: unknown) => Promise.reject(error instanceof RefusedMessageError ? error.cause : error));
    const ids = emails.flatMap((result) => ('id' in result ? [result.id] : []));
    if (ids.length === 0) throw new SmtpRefusal(550, '5.7.1 Every recipient is suppressed');
    return { ids, suppressed: emails.length - ids.length };
  }

  /**
   * True if another message of its client would have other bytes. A date says so only while it is recent: the clock of
   * a device may stand still, and two of its messages must not become one.
   */
  private isDistinct({ messageId, date }: SubmittedMessage): boolean {
    return messageId !== undefined || Math.abs(this.clock.now() - date) < RECENT_MS;
  }
}

/** We take SMTPUTF8 for the header: relays return messages with letters beyond ASCII to a server that does not. */
function invalidAddress(written: string): Error {
  return hasInternationalLocalPart(written)
    ? new InternationalAddressError('to')
    : new SmtpRefusal(553, '5.1.3 This address is not valid');
}

/** @param addresses which the bytes of the message alone do not give */
function repeatableAs(raw: Buffer, addresses: readonly string[]): IdempotentRequest {
  const requestHash = createHash('sha256').update(JSON.stringify(addresses)).update(raw).digest();
  return { key: `smtp ${requestHash.toString('hex')}`, requestHash, markReplayed: () => undefined };
}

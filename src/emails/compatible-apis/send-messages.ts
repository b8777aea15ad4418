import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readMessages } from '../accept/batch/read-messages.js';
import { RefusedMessageError } from '../accept/batch/refused-message-error.js';
import { SendBatch, type BatchResult } from '../accept/batch/send-batch.js';
import { SendEmail } from '../accept/send-email.js';
import type { DecodedRequest } from '../accept/send-request.js';
import { readIdempotency } from '../idempotency/idempotent-request.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { DomainError } from '../../platform/errors/domain-error.js';

/** Messages in the form of POST /api/send, or why one could not be translated, and how to send them. */
export interface TranslatedMessages {
  readonly messages: readonly (object | DomainError)[];
  /** Every message has the attachments of the first. */
  readonly shareAttachments?: boolean;
  /** True for a problem of one message that refuses all of them. */
  readonly refusesAll: (problem: DomainError) => boolean;
}

/** A request, and its response to mark as a replay. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Sends translated messages with the code of our own routes. The response never waits for delivery. */
@Injectable()
export class SendMessages {
  constructor(
    private readonly emails: SendEmail,
    private readonly batches: SendBatch,
  ) {}

  /**
   * @returns the result of each message, in order
   * @throws RefusedMessageError for the first message that refuses all of them, or for the only one
   */
  async send(
    caller: Caller,
    { messages: translated, shareAttachments = false, refusesAll }: TranslatedMessages,
    { request, reply }: Exchange,
  ): Promise<readonly BatchResult[]> {
    const { messages: read, digests } = await readMessages({ emails: translated.map(toReadable) });
    const known = read.map((message, position) => problemAt(translated, position) ?? message);
    const messages = shareAttachments ? withAttachmentsOfFirst(known) : known;
    const idempotent = readIdempotency(request, reply, digests);
    const [only] = messages;
    if (messages.length > 1 || only === undefined) {
      return (await this.batches.send(caller, messages, idempotent, refusesAll)).emails;
    }
    if (only instanceof DomainError) throw new RefusedMessageError(0, only);
    const { emailId, response } = await this.emails.send(caller, only, 0, idempotent);
    const { emailTrackingId, status = 'queued', suppressed } = response;
    return [{ id: emailId, emailTrackingId, status, ...(suppressed && { suppressed }) }];
  }
}

type ReadMessage = DecodedRequest | DomainError;

/** A message that could not be translated counts as an empty one until its problem replaces it. */
function toReadable(message: object | DomainError): object {
  return message instanceof DomainError ? {} : message;
}

function problemAt(messages: readonly (object | DomainError)[], position: number): DomainError | undefined {
  const message = messages[position];
  return message instanceof DomainError ? message : undefined;
}

function withAttachmentsOfFirst(messages: readonly ReadMessage[]): ReadMessage[] {
  const [first] = messages;
  if (first === undefined || first instanceof DomainError) return [...messages];
  const { attachments } = first;
  return messages.map((message) => (message instanceof DomainError ? message : { ...message, attachments }));
}

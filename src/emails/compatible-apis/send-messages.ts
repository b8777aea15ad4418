import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { waitForMessageTurn } from '../accept/batch/message-turns.js';
import { readMessage, type ReadMessage } from '../accept/batch/read-messages.js';
import { RefusedMessageError } from '../accept/batch/refused-message-error.js';
import type { BatchResult } from '../accept/batch/batch-response.js';
import { SendBatch } from '../accept/batch/send-batch.js';
import { SendEmail } from '../accept/send-email.js';
import type { DecodedRequest } from '../accept/send-request.js';
import { readIdempotency, type IdempotentRequest } from '../idempotency/idempotent-request.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { BYTES_PER_VALUE } from '../../platform/http/body-limits.js';

/** Messages in the form of POST /api/send, and how to send them. */
export interface TranslatedMessages {
  /** Read one by one. Instead of a message, why it could not be translated. */
  readonly messages: Iterable<object | DomainError>;
  /** Every message has the attachments of the first. */
  readonly shareAttachments?: boolean;
  /** True for a problem of one message that refuses all of them. */
  readonly refusesAll: (problem: DomainError) => boolean;
  /** True when the refusal of the only message is its result, too, instead of an error. */
  readonly isPermissive?: boolean;
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
    { messages: translated, shareAttachments = false, refusesAll, isPermissive = false }: TranslatedMessages,
    { request, reply }: Exchange,
  ): Promise<readonly BatchResult[]> {
    const read: ReadMessage[] = [];
    for (const value of translated) {
      await waitForMessageTurn(read.length);
      const one = await readOrRefuse(value);
      // The first refusal ends the work: all messages of a hostile body may repeat what is expensive to check.
      if (one.message instanceof DomainError && refusesAll(one.message)) {
        throw new RefusedMessageError(read.length, one.message);
      }
      if (read.length > 0) caller.reserve?.(bytesOfMaps(one.message));
      read.push(one);
    }
    const known = read.map(({ message }) => message);
    const messages = shareAttachments ? withAttachmentsOfFirst(known) : known;
    const digests = read.map(({ digest }) => digest);
    // A strict response names every email, so the response to a permissive request is none to a strict one.
    const idempotent = readIdempotency(request, reply, isPermissive ? { permissive: digests } : digests);
    const [only] = messages;
    if (messages.length > 1 || isPermissive || only === undefined || only instanceof DomainError) {
      return (await this.batches.send(caller, messages, idempotent, refusesAll)).emails;
    }
    return this.sendOne(caller, only, idempotent);
  }

  private async sendOne(
    caller: Caller,
    message: DecodedRequest,
    idempotent: IdempotentRequest | undefined,
  ): Promise<readonly BatchResult[]> {
    const { emailId, response } = await this.emails.send(caller, message, 0, idempotent);
    const { emailTrackingId, status = 'queued', suppressed } = response;
    return [{ id: emailId, emailTrackingId, status, ...(suppressed && { suppressed }) }];
  }
}

type Message = ReadMessage['message'];

async function readOrRefuse(value: object | DomainError): Promise<ReadMessage> {
  return value instanceof DomainError ? { message: value, digest: value.message } : readMessage(value);
}

/** Approximate memory of the maps of a message, which may be copies of those of the whole body. */
function bytesOfMaps(message: Message): number {
  if (message instanceof DomainError) return 0;
  const maps = [message.headers ?? {}, message.metadata ?? {}];
  return maps.reduce((sum, map) => sum + JSON.stringify(map).length + Object.keys(map).length * BYTES_PER_VALUE, 0);
}

function withAttachmentsOfFirst(messages: readonly Message[]): Message[] {
  const [first] = messages;
  if (first === undefined || first instanceof DomainError) return [...messages];
  const { attachments } = first;
  return messages.map((message) => (message instanceof DomainError ? message : { ...message, attachments }));
}

import { DomainError } from '../../../platform/errors/domain-error.js';
import { copyKnownFields, readFields } from '../../../platform/http/body.pipe.js';
import { isJsonObject } from '../../../platform/http/json-object.js';
import { withoutBytes } from '../../attachments/attachment.js';
import { takeAttachments } from '../../attachments/read-attachments.js';
import { digestOfJson } from '../../idempotency/json-digest.js';
import { readHeaders } from '../message-headers.js';
import { SendRequest, type DecodedRequest } from '../send-request.js';
import type { BatchRequest } from './batch-request.js';
import { waitForMessageTurn } from './message-turns.js';

/** The messages of a batch, each checked and decoded separately. */
interface ReadMessages {
  /** In order; an error for a message that is not valid. */
  readonly messages: readonly (DecodedRequest | DomainError)[];
  /** What identifies the request: all messages, with the digests of their attachments. */
  readonly digests: object;
}

/** Removes the messages from `body`, so that encoded attachments no longer need memory. */
export async function readMessages(body: BatchRequest): Promise<ReadMessages> {
  const read: ReadMessage[] = [];
  for (const [index, value] of body.emails.splice(0).entries()) {
    await waitForMessageTurn(index);
    read.push(await readMessage(value));
  }
  return { messages: read.map(({ message }) => message), digests: read.map(({ digest }) => digest) };
}

/** One message of a request. */
export interface ReadMessage {
  readonly message: DecodedRequest | DomainError;
  /** Of an invalid message as well: a corrected one is another request. */
  readonly digest: object | string;
}

/** Checks and decodes one message. @param value may lose its encoded attachments */
export async function readMessage(value: unknown): Promise<ReadMessage> {
  try {
    if (!isJsonObject(value)) throw new DomainError('invalid', 'The message must be a JSON object');
    const fields = readFields(value, SendRequest);
    const headers = readHeaders(fields.headers);
    const attachments = (await takeAttachments(fields)) ?? [];
    const digest = { ...fields, attachments: attachments.map(withoutBytes) };
    return { message: { ...fields, headers, attachments }, digest };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { message: error, digest: digestOfJson(isJsonObject(value) ? copyKnownFields(value, SendRequest) : value) };
  }
}

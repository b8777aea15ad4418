import { DomainError } from '../../../platform/errors/domain-error.js';
import { isJsonObject, readFields } from '../../../platform/http/body.pipe.js';
import { withoutBytes } from '../../attachments/attachment.js';
import { takeAttachments } from '../../attachments/read-attachments.js';
import { SendRequest, type DecodedRequest } from '../send-request.js';
import type { BatchRequest } from './batch-request.js';

/** The messages of a batch, each checked and decoded separately. */
interface ReadMessages {
  /** In order; an error for a message that is not valid. */
  readonly messages: readonly (DecodedRequest | DomainError)[];
  /** What identifies the request: all messages, with the digests of their attachments. */
  readonly digests: object;
}

/** Removes the messages from `body`, so that encoded attachments no longer need memory. */
export async function readMessages(body: BatchRequest): Promise<ReadMessages> {
  const messages: (DecodedRequest | DomainError)[] = [];
  for (const value of body.emails.splice(0)) messages.push(await readMessage(value));
  const digests = messages.map((message) => {
    if (message instanceof DomainError) return message.message;
    return { ...message, attachments: message.attachments.map(withoutBytes) };
  });
  return { messages, digests };
}

async function readMessage(value: unknown): Promise<DecodedRequest | DomainError> {
  try {
    if (!isJsonObject(value)) return new DomainError('invalid', 'The message must be a JSON object');
    const fields = readFields(value, SendRequest);
    const attachments = (await takeAttachments(fields)) ?? [];
    return { ...fields, attachments };
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

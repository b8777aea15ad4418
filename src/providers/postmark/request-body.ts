import type { RequestBody } from '../http/http-exchange.js';
import { jsonBody, type AttachmentFormat } from '../http/json-body.js';
import { typeInBase64 } from '../message-parts.js';
import type { OutgoingAttachment } from '../provider.js';
import type { AddressedMessage } from './postmark-message.js';

/** Postmark's limit for a call of /email/batch. */
const MAX_BATCH_BYTES = 50_000_000;

const FORMAT: AttachmentFormat = { list: 'Attachments', content: 'Content', describe };

/** The body of POST /email. */
export function messageBody({ message }: AddressedMessage, attachments: readonly OutgoingAttachment[]): RequestBody {
  return jsonBody(message, attachments, FORMAT);
}

/** The body of POST /email/batch, and the messages that had no place in it. */
export interface BatchBody {
  readonly body: RequestBody;
  readonly sent: readonly AddressedMessage[];
  readonly left: readonly AddressedMessage[];
}

/**
 * Creates the body for as many messages as fit, at least one. They differ only in To. Each is composed, and its
 * attachments are read, when it is its turn to be written, so that only one is in memory.
 */
export function postmarkBatchBody(
  messages: readonly AddressedMessage[],
  attachments: readonly OutgoingAttachment[],
): BatchBody {
  const [first] = messages as [AddressedMessage];
  const common = messageBody(first, attachments).length - lengthOfTo(first);
  const sent: AddressedMessage[] = [];
  // The brackets of the list; with each message, a comma except for the first.
  let length = 2;
  for (const message of messages) {
    const added = common + lengthOfTo(message) + (sent.length > 0 ? 1 : 0);
    if (sent.length > 0 && length + added > MAX_BATCH_BYTES) break;
    sent.push(message);
    length += added;
  }
  return { body: { length, head: headOf(sent, attachments), end: ']' }, sent, left: messages.slice(sent.length) };
}

async function* headOf(
  messages: readonly AddressedMessage[],
  attachments: readonly OutgoingAttachment[],
): AsyncGenerator<string | Buffer> {
  for (const [index, message] of messages.entries()) {
    const { head, end } = messageBody(message, attachments);
    yield index === 0 ? '[' : ',';
    if (head) yield* head;
    yield end;
  }
}

function lengthOfTo({ message }: AddressedMessage): number {
  return Buffer.byteLength(JSON.stringify(message.To));
}

function describe({ filename, contentType, contentId }: OutgoingAttachment): object {
  return {
    Name: filename,
    ContentType: typeInBase64(contentType),
    ...(contentId !== null && { ContentID: `cid:${contentId}` }),
  };
}

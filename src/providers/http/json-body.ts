import type { OutgoingAttachment } from '../provider.js';
import type { RequestBody } from './http-exchange.js';

/** How a provider's JSON names attachments. */
export interface AttachmentFormat {
  /** The field of the request that has the list. */
  readonly list: string;
  /** The field of an attachment that has its content in base64. */
  readonly content: string;
  /** @returns the other fields, at least one */
  readonly describe: (attachment: OutgoingAttachment) => object;
}

/**
 * A JSON body with attachments in base64, which are read and encoded while it is written.
 * @param fields at least one
 */
export function jsonBody(
  fields: object,
  attachments: readonly OutgoingAttachment[],
  { list, content, describe }: AttachmentFormat,
): RequestBody {
  const json = JSON.stringify(fields);
  if (attachments.length === 0) return { length: Buffer.byteLength(json), end: json };
  const start = `${json.slice(0, -1)},${JSON.stringify(list)}:[`;
  const parts = attachments.map((attachment, index) => ({
    attachment,
    before: `${index === 0 ? '' : ','}{${JSON.stringify(content)}:"`,
    after: `",${JSON.stringify(describe(attachment)).slice(1)}`,
  }));
  const end = ']}';
  const lengths = parts.map(({ attachment: { size }, before, after }) => {
    return Buffer.byteLength(before) + 4 * Math.ceil(size / 3) + Buffer.byteLength(after);
  });
  const length = lengths.reduce((sum, one) => sum + one, Buffer.byteLength(start) + end.length);
  return { length, head: headOf(start, parts), end };
}

async function* headOf(
  start: string,
  parts: readonly { attachment: OutgoingAttachment; before: string; after: string }[],
): AsyncGenerator<string> {
  yield start;
  for (const { attachment, before, after } of parts) {
    yield before;
    yield* base64Of(attachment.read());
    yield after;
  }
}

/** Three bytes become four characters, so remaining bytes of a piece are carried over to the next one. */
async function* base64Of(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let left: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = left.length === 0 ? piece : Buffer.concat([left, piece]);
    const whole = bytes.length - (bytes.length % 3);
    left = bytes.subarray(whole);
    yield bytes.toString('base64', 0, whole);
  }
  yield left.toString('base64');
}

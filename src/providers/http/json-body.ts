import type { OutgoingAttachment } from '../provider.js';
import type { RequestBody } from './http-exchange.js';
import { wholeUnits } from './whole-units.js';

/** Resend responds with 403 to calls without User-Agent. */
export const JSON_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json',
  'User-Agent': 'mailbeacon',
} as const;

/** Three bytes become four characters. */
const BASE64_UNIT = 3;
/** A line feed in base64, for an empty file: providers refuse a file without content. */
const EMPTY_CONTENT = 'Cg==';

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
    const contentLength = size === 0 ? EMPTY_CONTENT.length : 4 * Math.ceil(size / BASE64_UNIT);
    return Buffer.byteLength(before) + contentLength + Buffer.byteLength(after);
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
    if (attachment.size === 0) yield EMPTY_CONTENT;
    for await (const bytes of wholeUnits(attachment.read(), BASE64_UNIT)) yield bytes.toString('base64');
    yield after;
  }
}

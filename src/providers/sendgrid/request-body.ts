import type { OutgoingAttachment, OutgoingEmail } from '../provider.js';
import type { RequestBody } from './http-exchange.js';
import { toMailSendBody } from './mail-send-body.js';

/** The body of POST /v3/mail/send. Contents of attachments are read and encoded while it is written. */
export function requestBodyOf(email: OutgoingEmail): RequestBody {
  const json = JSON.stringify(toMailSendBody(email));
  const { attachments = [] } = email;
  if (attachments.length === 0) return { length: Buffer.byteLength(json), end: json };
  const start = `${json.slice(0, -1)},"attachments":[`;
  const parts = attachments.map((attachment, index) => ({
    attachment,
    before: index === 0 ? '{"content":"' : ',{"content":"',
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

/** SendGrid refuses semicolons in each of these fields. */
function describe({ filename, contentType, contentId }: OutgoingAttachment): object {
  return {
    filename: filename.replaceAll(';', '_'),
    type: contentType.split(';', 1)[0],
    disposition: contentId === null ? 'attachment' : 'inline',
    ...(contentId !== null && { content_id: contentId.replaceAll(';', '_') }),
  };
}

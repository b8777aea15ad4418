import PostalMime from 'postal-mime';

/** A parsed notification of a mail server. */
export interface MailMessage {
  /** Values of the header fields by their lower-case name, in document order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Its plain text, without that of nested messages. */
  readonly text: string;
  /** The other parts, in document order. Nested messages are parts and are not parsed further. */
  readonly parts: readonly MailPart[];
}

export interface MailPart {
  /** Media type in lower case. */
  readonly type: string;
  readonly content: string;
}

/** Notifications return the headers of a message, and some the whole message. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;
/**
 * How much of a message is read. Its report comes before the message that it returns, and the library needs time
 * and memory per line: for a megabyte of empty lines it would need 18 seconds and 1.7 GB.
 */
export const MAX_READ_BYTES = 256 * 1024;
const MAX_LINES = 4_000;
const LIMITS = { maxHeadersSize: 64 * 1024, maxNestingDepth: 16, maxRfc822NestingDepth: 0 };

/** Reads the beginning of a message. Undefined if its header or nesting is too large. Never throws. */
export async function readMailMessage(raw: Buffer): Promise<MailMessage | undefined> {
  try {
    const options = { ...LIMITS, forceRfc822Attachments: true, attachmentEncoding: 'utf8' as const };
    const { headers, text = '', attachments } = await PostalMime.parse(beginningOf(raw), options);
    const parts = attachments.map(({ mimeType, content }) => ({ type: mimeType, content: String(content) }));
    return { headers: byName(headers), text, parts };
  } catch {
    return undefined;
  }
}

function beginningOf(raw: Buffer): Buffer {
  let end = 0;
  for (let lines = 0; lines < MAX_LINES; lines++) {
    const next = raw.indexOf(0x0a, end) + 1;
    if (next === 0 || next > MAX_READ_BYTES) return raw.subarray(0, MAX_READ_BYTES);
    end = next;
  }
  return raw.subarray(0, end);
}

function byName(fields: readonly { readonly key: string; readonly value: string }[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const { key, value } of fields) {
    const values = headers.get(key);
    if (values) values.push(value);
    else headers.set(key, [value]);
  }
  return headers;
}

/** Largest request that the fast path accepts. node:http handles larger ones. */
const MAX_BYTES = 16_000;
const [CR, LF] = [0x0d, 0x0a];

/**
 * A request line and headers, exactly one of them Host, in the strict form of RFC 9112, without its tolerances, and
 * nothing after them.
 */
const STRICT_GET =
  /^GET \/[\x21-\x7e]* HTTP\/1\.1\r\n(?:(?![Hh][Oo][Ss][Tt]:)[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*[Hh][Oo][Ss][Tt]:[\t\x20-\x7e\x80-\xff]*\r\n(?:(?![Hh][Oo][Ss][Tt]:)[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
/** Headers that frame a body or ask for more than a response. */
const UNSUPPORTED = /\r\n(?:connection:(?! ?keep-alive\r\n)|content-length:|transfer-encoding:|upgrade:|expect:)/i;

/** A request that the fast path accepts. */
export interface PlainGet {
  readonly target: string;
  /** The request line and the headers. */
  readonly head: string;
}

/**
 * Reads a complete, unambiguous GET request without a body on a keep-alive connection. Returns
 * undefined for every other request, even a legal one: node:http parses those. This function must never read a request
 * differently from another HTTP parser, which would allow request smuggling.
 * @param bytes the result of one socket read
 * @param prefix required prefix of the target
 */
export function readPlainGet(bytes: Buffer, prefix: string): PlainGet | undefined {
  const end = bytes.length;
  if (end > MAX_BYTES || bytes[end - 1] !== LF || bytes[end - 2] !== CR) return undefined;
  const text = bytes.toString('latin1');
  if (!text.startsWith(prefix, METHOD.length) || !STRICT_GET.test(text)) return undefined;
  if (UNSUPPORTED.test(text)) return undefined;
  return { target: text.slice(METHOD.length, text.indexOf(' ', METHOD.length)), head: text };
}

const METHOD = 'GET ';

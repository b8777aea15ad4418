/** What one read of a connection brings at most; a larger request takes the ordinary way. */
const MAX_BYTES = 16_000;
const [CR, LF] = [0x0d, 0x0a];

/** A request line and headers as RFC 9112 spells them, without any of its tolerances, and nothing behind. */
const SHAPE = /^GET \/[\x21-\x7e]* HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n)+\r\n$/;
const HOST = /\r\nhost:/i;
/** Headers that frame a body or ask for more than an answer. */
const DEMANDING = /\r\n(?:connection:(?! ?keep-alive\r\n)|content-length:|transfer-encoding:|upgrade:|expect:)/i;

/**
 * The target of a request that is whole, asks for nothing but an answer and leaves nothing to interpretation: a GET
 * without a body on a connection that stays open. Undefined for every other, however legal: those are for a parser.
 * Where this could read a request differently from another reader, it does not read it.
 * @param bytes what one read of the connection brought
 * @param prefix what the target must begin with
 */
export function targetOfPlainGet(bytes: Buffer, prefix: string): string | undefined {
  const end = bytes.length;
  if (end > MAX_BYTES || bytes[end - 1] !== LF || bytes[end - 2] !== CR) return undefined;
  const text = bytes.toString('latin1');
  if (!text.startsWith(prefix, METHOD.length) || !SHAPE.test(text)) return undefined;
  if (!HOST.test(text) || DEMANDING.test(text)) return undefined;
  return text.slice(METHOD.length, text.indexOf(' ', METHOD.length));
}

const METHOD = 'GET ';

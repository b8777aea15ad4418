import { isIPv6 } from 'node:net';

const [DOT, ZERO, NINE, COLON, PERCENT] = [0x2e, 0x30, 0x39, 0x3a, 0x25];
const GROUPS = 8;
/** Prefix of an IPv4 address in IPv6 form (RFC 4291, 2.5.5.2). */
const MAPPED_PREFIX = '::ffff:';

/** The 128 bits of an address, so that comparing addresses takes no text and no allocation. */
export type AddressWords = Uint32Array;

/**
 * Reads an IPv4 or IPv6 address into `words`. An IPv4 address becomes the corresponding IPv6 address, because a socket
 * that accepts both reports it in that form.
 * @returns false for any other text; `words` are undefined then
 */
export function readAddressWords(text: string, words: AddressWords): boolean {
  const isMapped = text.startsWith(MAPPED_PREFIX);
  const ipv4 = readIpv4(text, isMapped ? MAPPED_PREFIX.length : 0);
  if (ipv4 === undefined) return readIpv6(text, words);
  words[0] = words[1] = 0;
  words[2] = 0xffff;
  words[3] = ipv4;
  return true;
}

/** Reads four decimal numbers. Refuses leading zeros, which mean octal to some programs. */
function readIpv4(text: string, start: number): number | undefined {
  let value = 0;
  let part = 0;
  let digits = 0;
  let dots = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === DOT) {
      if (digits === 0 || ++dots > 3) return undefined;
      value = value * 256 + part;
      part = digits = 0;
    } else {
      if (code < ZERO || code > NINE || (digits > 0 && part === 0)) return undefined;
      part = part * 10 + code - ZERO;
      if (++digits > 3 || part > 255) return undefined;
    }
  }
  return dots === 3 && digits > 0 ? value * 256 + part : undefined;
}

const groups = new Uint16Array(GROUPS);

/** Reads group by group, because splitting the text costs more than the rest of a verdict. */
function readIpv6(text: string, words: AddressWords): boolean {
  if (!isIPv6(text)) return false;
  let count = 0;
  let gap = -1;
  let value = 0;
  let digits = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === PERCENT) break;
    if (code === DOT) {
      const ipv4 = readIpv4(text.split('%', 1)[0]!, start)!;
      groups[count++] = ipv4 >>> 16;
      value = ipv4 & 0xffff;
      break;
    }
    if (code !== COLON) {
      value = value * 16 + (code & 0xf) + (code > NINE ? 9 : 0);
      digits++;
      continue;
    }
    if (digits > 0) groups[count++] = value;
    else if (at > 0) gap = count;
    value = digits = 0;
    start = at + 1;
  }
  if (digits > 0) groups[count++] = value;
  if (gap !== -1) groups.copyWithin(GROUPS - count + gap, gap, count).fill(0, gap, GROUPS - count + gap);
  for (let word = 0; word < words.length; word++) words[word] = groups[word * 2]! * 0x10000 + groups[word * 2 + 1]!;
  return true;
}

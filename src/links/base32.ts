const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const BITS = 5;
const values = new Uint8Array(128);
for (let value = 0; value < ALPHABET.length; value++) values[ALPHABET.charCodeAt(value)] = value;

/**
 * Encodes bytes in base32 (RFC 4648, 6) with lower-case letters, for texts that may lose their case in transit.
 * @param bytes a multiple of five, which needs no padding
 */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff;
    for (bits += 8; bits >= BITS; bits -= BITS) text += ALPHABET[(pending >>> (bits - BITS)) & 0x1f];
  }
  return text;
}

/** @param text must contain only lower-case characters of that alphabet, a multiple of eight */
export function decodeBase32(text: string): Buffer {
  const bytes = Buffer.allocUnsafe((text.length * BITS) / 8);
  let pending = 0;
  let bits = 0;
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    pending = ((pending << BITS) | values[text.charCodeAt(index)]!) & 0xfff;
    bits += BITS;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = pending >>> bits;
  }
  return bytes;
}

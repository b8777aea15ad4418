const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const values = new Uint8Array(128);
for (let value = 0; value < ALPHABET.length; value++) values[ALPHABET.charCodeAt(value)] = value;

/**
 * Decodes four characters of base64url (RFC 4648, 5) to three bytes, as one number.
 * @param text must contain only characters of that alphabet
 */
export function decodeGroup(text: string, at: number): number {
  return (
    (values[text.charCodeAt(at)]! << 18) |
    (values[text.charCodeAt(at + 1)]! << 12) |
    (values[text.charCodeAt(at + 2)]! << 6) |
    values[text.charCodeAt(at + 3)]!
  );
}

/** Reads three bytes as one number from a text with one byte per character. */
export function byteGroup(binary: string, at: number): number {
  return (binary.charCodeAt(at) << 16) | (binary.charCodeAt(at + 1) << 8) | binary.charCodeAt(at + 2);
}

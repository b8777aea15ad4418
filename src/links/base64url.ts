const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const values = new Uint8Array(128);
for (let value = 0; value < ALPHABET.length; value++) values[ALPHABET.charCodeAt(value)] = value;

/**
 * The three bytes, as one number, that four characters of base64url (RFC 4648, 5) stand for.
 * @param text only characters of that alphabet
 */
export function bytesIn(text: string, at: number): number {
  return (
    (values[text.charCodeAt(at)]! << 18) |
    (values[text.charCodeAt(at + 1)]! << 12) |
    (values[text.charCodeAt(at + 2)]! << 6) |
    values[text.charCodeAt(at + 3)]!
  );
}

/** Three bytes as one number, of a text that has one byte in each character. */
export function bytesOf(binary: string, at: number): number {
  return (binary.charCodeAt(at) << 16) | (binary.charCodeAt(at + 1) << 8) | binary.charCodeAt(at + 2);
}

import { createHash, hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/**
 * HMAC-SHA256 (RFC 2104) under one key, for short ASCII texts.
 * It prepares the two key pads once. Each text then needs two one-shot hashes, about two thirds of the cost of
 * `createHmac`, which creates a stream object per call.
 */
export class HmacSha256 {
  private readonly innerPad: Buffer;
  private readonly outer: Buffer;

  constructor(key: Buffer) {
    const block = Buffer.alloc(BLOCK_BYTES);
    (key.length > BLOCK_BYTES ? createHash('sha256').update(key).digest() : key).copy(block);
    this.innerPad = Buffer.from(block.map((byte) => byte ^ 0x36));
    this.outer = Buffer.concat([block.map((byte) => byte ^ 0x5c), Buffer.alloc(DIGEST_BYTES)]);
  }

  /**
   * @returns the digest as 32 characters, one per byte. Comparing it needs no Buffer, which would cost as much as a
   *   hash
   */
  digest(asciiText: string): string {
    const inner = Buffer.allocUnsafe(BLOCK_BYTES + asciiText.length);
    this.innerPad.copy(inner);
    inner.write(asciiText, BLOCK_BYTES, 'latin1');
    this.outer.write(hash('sha256', inner, 'binary'), BLOCK_BYTES, 'latin1');
    return hash('sha256', this.outer, 'binary');
  }
}

import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { HmacSha256 } from '../../src/links/fast-mac/hmac-sha256.js';

describe('HmacSha256', () => {
  it('is HMAC-SHA256 for any length of key and text', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 130 }).map((bytes) => Buffer.from(bytes)),
        fc.array(fc.string({ unit: 'binary-ascii', maxLength: 200 }), { minLength: 1, maxLength: 3 }),
        (key, texts) => {
          const hmac = new HmacSha256(key);
          for (const text of texts) {
            expect(hmac.digest(text)).toBe(createHmac('sha256', key).update(text).digest('binary'));
          }
        },
      ),
    );
  });
});

import { createHash } from 'node:crypto';
import { qrCode } from '../../packages/dashboard/src/qr-code.js';

const uri = (letters: number): string =>
  `otpauth://totp/Mailbeacon:${'j'.repeat(letters)}%40acme.example?issuer=Mailbeacon&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP`;

const drawingOf = (text: string): string =>
  qrCode(text)
    .map((row) => row.map((module) => (module ? '#' : '.')).join(''))
    .join('\n');

describe('QR codes', () => {
  it.each([
    ['A', 21, 'defea385aeee6c21'],
    [uri(4), 37, 'ebbfd61b47f4b17e'],
    [uri(150), 57, 'b84edfcec7b3fdfa'],
    [uri(320), 69, 'f329b5ff391a9b20'],
  ])('draws what a reader of QR codes has read: %#', (text, size, hash) => {
    expect(qrCode(text)).toHaveLength(size);
    expect(createHash('sha256').update(drawingOf(text)).digest('hex').slice(0, 16)).toBe(hash);
  });

  it('refuses a text that does not fit', () => {
    expect(() => qrCode('x'.repeat(600))).toThrow('too long');
  });
});

import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

/** OWASP Password Storage Cheat Sheet, 2024: scrypt with N = 2^17, r = 8, p = 1, which takes 128 MB. */
const COST = { logN: 17, r: 8, p: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORMAT = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

interface Cost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** Returns `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`, both base64url. Runs in a thread of libuv. */
export async function hashPassword(password: string, logN: number = COST.logN): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, { ...COST, logN });
  return formatHash(salt, hash, logN);
}

/** @param stored the result of `hashPassword`, which includes its cost parameters */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, logN, r, p, salt = '', hash = ''] = FORMAT.exec(stored) ?? [];
  const expected = Buffer.from(hash, 'base64url');
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost);
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}

/** A hash that no password has. Verifying it takes as long as verifying a real one. */
export function impossibleHash(logN: number = COST.logN): string {
  return formatHash(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES), logN);
}

function formatHash(salt: Buffer, hash: Buffer, logN: number): string {
  return ['scrypt', logN, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

function derive(password: string, salt: Buffer, { logN, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** logN;
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  // Normalizes characters, so that they have the same bytes regardless of how the keyboard composes them (NIST SP
  // 800-63B, 3.1.1.2).
  const text = password.normalize('NFKC');
  return new Promise((resolve, reject) => {
    scrypt(text, salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

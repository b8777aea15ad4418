import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Variable } from './setting-types.js';

interface About {
  readonly description: string;
  readonly example: string;
}

/** A list of public keys for ECDSA on P-256, each as SubjectPublicKeyInfo: DER in base64, or PEM. */
export function ecdsaPublicKeys({ description, example }: About): Variable<readonly KeyObject[] | undefined> {
  return {
    description,
    example,
    expectation: 'a comma-separated list of P-256 public keys, each as DER in base64 or as PEM',
    fallback: { value: undefined, text: '' },
    read: readPublicKeys,
  };
}

/** @returns undefined if one of the keys is invalid */
export function readPublicKeys(text: string): readonly KeyObject[] | undefined {
  const keys = text.split(',').map(readPublicKey);
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

/** A PEM may have real line breaks or, as in many settings files, the characters `\n`. */
function readPublicKey(text: string): KeyObject | undefined {
  const base64 = text.replace(/-----(BEGIN|END) PUBLIC KEY-----|\\[rn]|\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

import { createHmac } from 'node:crypto';
import { HmacSha256 } from './fast-mac/hmac-sha256.js';
import type { SigningKey } from './signing-keys.js';

/**
 * One sub-key per purpose, so that a MAC for one purpose is never valid for another.
 * Changing a label invalidates every link or return path of sent mail, and the blocks of its organization.
 */
interface SubKeys {
  readonly emailTrackingId: HmacSha256;
  readonly linkToken: HmacSha256;
  readonly organizationTag: HmacSha256;
  readonly returnPath: HmacSha256;
  readonly unsubscribeToken: HmacSha256;
}

const derived = new WeakMap<SigningKey, SubKeys>();

export function subKeysOf(key: SigningKey): SubKeys {
  let subKeys = derived.get(key);
  if (subKeys === undefined) {
    subKeys = {
      emailTrackingId: new HmacSha256(derive(key, 'mailbeacon email tracking id v1')),
      linkToken: new HmacSha256(derive(key, 'mailbeacon link token v1')),
      organizationTag: new HmacSha256(derive(key, 'mailbeacon organization tag v1')),
      returnPath: new HmacSha256(derive(key, 'mailbeacon return path v1')),
      unsubscribeToken: new HmacSha256(derive(key, 'mailbeacon unsubscribe token v1')),
    };
    derived.set(key, subKeys);
  }
  return subKeys;
}

function derive(key: SigningKey, label: string): Buffer {
  return createHmac('sha256', key.secret).update(label).digest();
}

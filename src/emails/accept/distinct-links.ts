import { createHash } from 'node:crypto';

/** Each destination once, in key order, so that two emails of one campaign cannot deadlock. */
export function distinctLinks(urls: readonly string[]): { url: string; hash: Buffer }[] {
  const distinct = [...new Set(urls)].map((url) => ({ url, hash: urlHash(url) }));
  return distinct.sort((a, b) => Buffer.compare(a.hash, b.hash));
}

/** A destination can be longer than an index entry allows, so its SHA-256 is the key. */
function urlHash(url: string): Buffer {
  return createHash('sha256').update(url).digest();
}

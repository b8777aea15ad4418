import { createHash } from 'node:crypto';

/** Each destination once, in key order, so that two emails of one campaign cannot block each other. */
export function distinctLinks(urls: readonly string[]): { url: string; hash: Buffer }[] {
  const distinct = [...new Set(urls)].map((url) => ({ url, hash: urlHash(url) }));
  return distinct.sort((a, b) => Buffer.compare(a.hash, b.hash));
}

/** Destinations can be longer than an index entry may be; their SHA-256 stands for them. */
function urlHash(url: string): Buffer {
  return createHash('sha256').update(url).digest();
}

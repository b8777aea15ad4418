import { createHash } from 'node:crypto';

/**
 * Identifies a JSON value that nothing has checked yet. A loop instead of recursion, because the value may be nested
 * deeper than `JSON.stringify` can follow.
 */
export function digestOfJson(value: unknown): string {
  const hash = createHash('sha256');
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) {
      hash.update(`${JSON.stringify(next)},`);
      continue;
    }
    // Its length says where it ends.
    const items: unknown[] = Array.isArray(next) ? next : Object.entries(next).flat();
    hash.update(`${Array.isArray(next) ? 'array' : 'object'} ${items.length},`);
    for (const item of items) left.push(item);
  }
  return hash.digest('hex');
}

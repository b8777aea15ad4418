import { portionsOf } from '../../platform/memory/portions.js';
import type { StreamEntry } from './stream-entry.js';

/**
 * Splits entries into parts whose events fit into little memory: an entry has one event or hundreds, and decoded events
 * take ten times their bytes.
 */
export function partsOf(entries: readonly StreamEntry[], bytes: number): StreamEntry[][] {
  return portionsOf(entries, bytes, ({ raw }) => raw?.length ?? 0);
}

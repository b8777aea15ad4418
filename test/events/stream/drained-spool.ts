import type { ClaimedSegment } from '../../../src/events/stream/claimed-segment.js';
import type { Spool } from '../../../src/events/stream/spool.js';

/** Claims every segment that can be claimed. */
export async function claimAll(spool: Spool, now = Date.now()): Promise<ClaimedSegment[]> {
  const claimed: ClaimedSegment[] = [];
  for (const name of await spool.waiting()) {
    const segment = await spool.claim(name, now);
    if (segment) claimed.push(segment);
  }
  return claimed;
}

/** Replays every segment that can be claimed. Returns their content in order. */
export async function drain(spool: Spool, now = Date.now()): Promise<Buffer[]> {
  const payloads: Buffer[] = [];
  for (const segment of await claimAll(spool, now)) {
    payloads.push(...segment.next(Infinity, Infinity));
    await segment.remove();
  }
  return payloads;
}

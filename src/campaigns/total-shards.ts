/** A campaign's counts are spread over this many rows to reduce lock contention; the flusher has a row of its own. */
export const TOTAL_SHARDS = 16;

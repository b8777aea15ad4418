/** When the event store gets what is written to it, and when its backlog is skipped. */
export interface WriterLimits {
  /**
   * Memory that the stream may use while the store does not keep up. A replay of a spool waits at twice this amount, so
   * that a store that is down does not stop it.
   */
  readonly streamBytes: number;
  /** How far a store that responds may be behind the flushers then. One that does not respond may not. */
  readonly lagMs: number;
  /** Delay between inserts while few events arrive: many small ones keep ClickHouse merging. */
  readonly intervalMs: number;
  /** How often to query changes and gaps. */
  readonly roundMs: number;
  readonly maxBackoffMs: number;
  /** How long the removal of an email waits, see `applyChanges`. */
  readonly removalDelayMs?: number;
}

export const WRITER_LIMITS: WriterLimits = {
  streamBytes: 32 * 1024 * 1024,
  lagMs: 30_000,
  intervalMs: 1_000,
  roundMs: 5_000,
  maxBackoffMs: 5_000,
};

/** Domains that are checked at the same time. */
export const RECHECK_BATCH = 20;
/** If a worker dies during its batch, another worker claims the batch after this time. */
export const RECHECK_CLAIM_MS = 600_000;

export interface Rechecks<Row> {
  /** Claims at most `RECHECK_BATCH` domains that are due. */
  readonly claim: () => Promise<readonly Row[]>;
  readonly check: (row: Row) => Promise<unknown>;
  /** Is called for a check that failed, unless the process stops: the claim of the domain runs out then. */
  readonly report: (row: Row, error: unknown) => void;
}

/**
 * Checks all domains that are due. Any number of workers may run this at the same time. An error of one domain, such as a
 * lost connection to Postgres, does not stop the rest of its batch.
 */
export async function recheckDue<Row>({ claim, check, report }: Rechecks<Row>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const due = await claim();
    await Promise.all(due.map((row) => check(row).catch((error: unknown) => stop.aborted || report(row, error))));
    if (due.length < RECHECK_BATCH) return;
  }
}

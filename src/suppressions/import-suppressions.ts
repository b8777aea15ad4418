import { CsvReader, type CsvRow } from '../platform/csv/csv-reader.js';
import type { Author } from '../organizations/audit/record-audit.js';
import type { Database } from '../platform/database/database.js';
import { DomainError } from '../platform/errors/domain-error.js';
import { decodedPieces } from '../platform/http/utf8-pieces.js';
import { addSuppressions, type AddedCounts } from './add-suppressions.js';
import type { SuppressionInput } from './insert-suppressions.js';
import { readImportColumns, readImportRow, type ImportColumns } from './import-row.js';

export interface InvalidLine {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly reason: string;
}

export interface ImportResult extends AddedCounts {
  readonly invalid: number;
  /** The first invalid rows. */
  readonly invalidLines: readonly InvalidLine[];
}

/** Small enough that a batch holds its locks and its connection for a moment only. */
const BATCH = 5_000;
const MAX_INVALID_LINES = 100;

/** Stores a batch if the organization may store that much. */
type Payment = (rows: readonly SuppressionInput[], store: () => Promise<AddedCounts>) => Promise<AddedCounts>;

/** The import ended early. What it stored before stays, and the import can be repeated. */
class ImportInterruptedError extends DomainError {
  constructor({ message, kind }: DomainError, { added, known }: ImportResult) {
    const reason = /[.?]$/.test(message) ? message : `${message}.`;
    super(kind, `${reason} Of the rows before, ${added} were added, and ${known} were known`);
  }
}

/**
 * Adds the rows of a CSV file to a suppression list as they arrive. Each batch is a separate transaction, so that an
 * import of any length blocks no other work, and its memory does not depend on its length.
 * @param pay charges each batch to the budget; not needed for operators
 * @throws DomainError for a file without a column `address`, and for one that is not CSV from some line on
 */
export async function importSuppressions(
  database: Database,
  author: Author,
  file: AsyncIterable<Uint8Array>,
  pay: Payment = (_rows, store) => store(),
): Promise<ImportResult> {
  const running = new RunningImport(database, author, pay);
  const reader = new CsvReader();
  try {
    for await (const text of decodedPieces(file)) await running.take(reader.push(text));
    await running.take(reader.end());
    return await running.finish();
  } catch (error) {
    if (error instanceof DomainError) await running.store().catch(() => undefined);
    const result = running.result;
    throw error instanceof DomainError && result.added + result.known > 0
      ? new ImportInterruptedError(error, result)
      : error;
  }
}

class RunningImport {
  private columns: ImportColumns | undefined;
  private batch: SuppressionInput[] = [];
  private added = 0;
  private known = 0;
  private invalid = 0;
  private readonly invalidLines: InvalidLine[] = [];

  constructor(
    private readonly database: Database,
    private readonly author: Author,
    private readonly pay: Payment,
  ) {}

  get result(): ImportResult {
    return { added: this.added, known: this.known, invalid: this.invalid, invalidLines: this.invalidLines };
  }

  async take(rows: readonly CsvRow[]): Promise<void> {
    for (const row of rows) {
      if (!this.columns) this.columns = readImportColumns(row.fields);
      else this.read(row, this.columns);
      if (this.batch.length >= BATCH) await this.store();
    }
  }

  async finish(): Promise<ImportResult> {
    // An empty file also lacks a header.
    this.columns ??= readImportColumns([]);
    await this.store();
    return this.result;
  }

  private read({ line, fields }: CsvRow, columns: ImportColumns): void {
    const row = readImportRow(fields, columns);
    if (typeof row !== 'string') this.batch.push(row);
    else if (++this.invalid <= MAX_INVALID_LINES) this.invalidLines.push({ line, reason: row });
  }

  /** Stores the rows that were read since the last batch. They are not tried again if that fails. */
  async store(): Promise<void> {
    const batch = this.batch;
    this.batch = [];
    if (batch.length === 0) return;
    const { added, known } = await this.pay(batch, () =>
      this.database.transactionOf(this.author.organizationId, (sql) =>
        addSuppressions(sql, this.author, 'suppression.imported', batch),
      ),
    );
    this.added += added;
    this.known += known;
  }
}

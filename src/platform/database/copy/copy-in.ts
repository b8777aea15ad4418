import type { Connection, Submittable } from 'pg';

/** COPY methods of the driver's connection that its types omit. */
interface CopyingConnection {
  query(statement: string): void;
  sendCopyFromChunk(rows: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/**
 * A COPY … FROM STDIN as a custom query of the driver (PostgreSQL manual, Frontend/Backend Protocol, COPY Operations).
 * The rows are generated when Postgres is ready to receive them.
 */
export class CopyIn implements Submittable {
  /** @param callback called by the driver, which may replace it to implement its read timeout */
  constructor(
    private readonly statement: string,
    private readonly rows: Iterable<Buffer>,
    public callback: (error?: Error | null) => void,
  ) {}

  submit(connection: Connection): void {
    copying(connection).query(this.statement);
  }

  handleCopyInResponse(connection: Connection): void {
    try {
      for (const rows of this.rows) copying(connection).sendCopyFromChunk(rows);
      copying(connection).endCopyFrom();
    } catch (error) {
      copying(connection).sendCopyFail(String(error));
    }
  }

  handleCommandComplete(): void {
    // The statement is complete only when the connection is ready for the next one.
  }

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

function copying(connection: Connection): CopyingConnection {
  return connection as unknown as CopyingConnection;
}

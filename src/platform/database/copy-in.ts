import type { Connection, Submittable } from 'pg';

/** What the driver's connection offers for COPY, and its types leave out. */
interface CopyingConnection {
  query(statement: string): void;
  sendCopyFromChunk(rows: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/**
 * A COPY … FROM STDIN (PostgreSQL manual, Frontend/Backend Protocol, COPY Operations) of rows that are made when
 * Postgres asks for them, as the driver takes queries of other kinds than its own.
 */
export class CopyIn implements Submittable {
  /** @param callback what the driver calls, or replaces to give up on a server that says nothing */
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
    // The statement is over only when the connection is ready for another.
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

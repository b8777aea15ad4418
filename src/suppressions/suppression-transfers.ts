import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import type { Author } from '../organizations/audit/record-audit.js';
import { DomainError } from '../platform/errors/domain-error.js';
import { exportSuppressions } from './export-suppressions.js';
import { importSuppressions, type ImportResult } from './import-suppressions.js';

/** The organization has an import or export under way. */
class TransferUnderWayError extends DomainError {
  override readonly retryAfterSeconds = 5;

  constructor(kind: string) {
    super('too-many-requests', `Another ${kind} of this organization is under way: wait until it ends`);
  }
}

/** Imports and exports of whole lists. Each organization has one of each kind at a time, so that none takes it all. */
@Injectable()
export class SuppressionTransfers {
  private readonly underWay = new Set<string>();

  constructor(private readonly database: Database) {}

  /** @throws TransferUnderWayError, and what `importSuppressions` throws */
  async import(author: Author, file: AsyncIterable<Uint8Array>): Promise<ImportResult> {
    const end = this.begin('import', author.organizationId);
    try {
      return await importSuppressions(this.database, author, file);
    } finally {
      end();
    }
  }

  /** The list as a CSV file. Reads the first page before it returns. @throws TransferUnderWayError */
  async export(organizationId: string): Promise<Readable> {
    const end = this.begin('export', organizationId);
    try {
      const pieces = exportSuppressions(this.database, organizationId);
      const first = await pieces.next();
      return Readable.from(startingWith(first, pieces), { highWaterMark: 1 }).once('close', end);
    } catch (error) {
      end();
      throw error;
    }
  }

  private begin(kind: 'import' | 'export', organizationId: string): () => void {
    const name = `${kind} ${organizationId}`;
    if (this.underWay.has(name)) throw new TransferUnderWayError(kind);
    this.underWay.add(name);
    return () => this.underWay.delete(name);
  }
}

async function* startingWith(first: IteratorResult<string>, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (!first.done) yield first.value;
  yield* rest;
}

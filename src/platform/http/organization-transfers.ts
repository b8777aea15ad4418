import { Readable } from 'node:stream';
import { DomainError } from '../errors/domain-error.js';

/** The organization already has a running import or export. */
class TransferInProgressError extends DomainError {
  override readonly retryAfterSeconds = 5;

  constructor(kind: string) {
    super('too-many-requests', `Another ${kind} of this organization is in progress: wait until it ends`);
  }
}

/**
 * Transfers of files of any length. Each organization can have one of each kind at a time, so that none occupies the
 * whole process.
 */
export class OrganizationTransfers {
  private readonly running = new Set<string>();

  /** @returns a function that ends the transfer @throws TransferInProgressError */
  begin(kind: 'import' | 'export', organizationId: string): () => void {
    const name = `${kind} ${organizationId}`;
    if (this.running.has(name)) throw new TransferInProgressError(kind);
    this.running.add(name);
    return () => this.running.delete(name);
  }

  /** An export as a stream. Makes the first piece before it returns. @throws TransferInProgressError */
  async export(organizationId: string, pieces: AsyncGenerator<string>): Promise<Readable> {
    const end = this.begin('export', organizationId);
    try {
      const first = await pieces.next();
      return Readable.from(startingWith(first, pieces), { highWaterMark: 1 }).once('close', end);
    } catch (error) {
      end();
      throw error;
    }
  }
}

async function* startingWith(first: IteratorResult<string>, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (!first.done) yield first.value;
  yield* rest;
}

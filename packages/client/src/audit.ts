import type { AuditEntry, AuditEntryList } from './api-types.js';
import { listOf } from './list-of.js';
import type { Pages } from './pages.js';
import type { Query } from './query.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** `client.audit` */
export class Audit {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Who changed what, newest first. */
  list(query?: Query<'listAuditEntries'>, options?: CallOptions): Pages<AuditEntry> {
    const call = { path: '/api/audit', query, options };
    return listOf(this.#transport, call, (body: AuditEntryList) => body.entries);
  }

  /** All entries as a CSV file, or one JSON object per line, as they arrive. */
  export(query?: Query<'exportAuditEntries'>, options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.stream({ method: 'GET', path: '/api/audit/export', query, options });
  }
}

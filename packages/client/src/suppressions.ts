import type { AddSuppressions, ImportResult, Suppression, SuppressionCount, SuppressionList } from './api-types.js';
import { listOf } from './list-of.js';
import type { Pages } from './pages.js';
import { path } from './path.js';
import type { Query } from './query.js';
import { FILE_TIMEOUT_MS, type Upload } from './upload.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** `client.suppressions` */
export class Suppressions {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Suppressed addresses, newest first. */
  list(query?: Query<'listSuppressions'>, options?: CallOptions): Pages<Suppression> {
    const call = { path: '/api/suppressions', query, options };
    return listOf(this.#transport, call, (body: SuppressionList) => body.suppressions);
  }

  /** Throws an error with the status 404 if the address is not suppressed. */
  get(address: string, options?: CallOptions): Promise<Suppression> {
    return this.#transport.json({ method: 'GET', path: path`/api/suppressions/${address}`, options });
  }

  add(body: AddSuppressions, options?: CallOptions): Promise<SuppressionCount> {
    return this.#transport.json({ method: 'POST', path: '/api/suppressions', body, isRepeatable: true, options });
  }

  /** Allows mail to the address again. */
  remove(address: string, options?: CallOptions): Promise<void> {
    return this.#transport.json({ method: 'DELETE', path: path`/api/suppressions/${address}`, options });
  }

  /** Adds the rows of a CSV file. If it breaks off, repeat it. */
  import(csv: Upload, options?: CallOptions): Promise<ImportResult> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/suppressions/import',
      upload: { type: 'text/csv', content: csv },
      isRepeatable: true,
      timeoutMs: FILE_TIMEOUT_MS,
      options,
    });
  }

  /** The entries that match as a CSV file, as it arrives: without a query, the whole list. */
  export(query?: Query<'exportSuppressions'>, options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.stream({ method: 'GET', path: '/api/suppressions/export', query, options });
  }
}

import type { Stats } from './api-types.js';
import type { Query } from './query.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** `client.stats` */
export class StatsReader {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Figures over time; by default of the last 30 days by day. */
  get(query?: Query<'getStats'>, options?: CallOptions): Promise<Stats> {
    return this.#transport.json({ method: 'GET', path: '/api/stats', query, options });
  }
}

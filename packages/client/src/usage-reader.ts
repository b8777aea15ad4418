import type { Usage } from './api-types.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** `client.usage` */
export class UsageReader {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The organization's usage of each budget of its plan. */
  get(options?: CallOptions): Promise<Usage> {
    return this.#transport.json({ method: 'GET', path: '/api/usage', options });
  }
}

import type { CreateKey, Key, KeyList, NewKey } from './api-types.js';
import { listOf } from './list-of.js';
import type { Pages } from './pages.js';
import { path } from './path.js';
import type { Query } from './query.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** `client.keys` */
export class Keys {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Active keys without their secrets, newest first. */
  list(query?: Query<'listKeys'>, options?: CallOptions): Pages<Key> {
    return listOf(this.#transport, { path: '/api/keys', query, options }, (body: KeyList) => body.keys);
  }

  /** Only this response contains the key itself. */
  create(key: CreateKey, options?: CallOptions): Promise<NewKey> {
    return this.#transport.json({ method: 'POST', path: '/api/keys', body: key, options });
  }

  /** A key may revoke itself. If that response is lost, the next attempt is refused because it took effect. */
  async revoke(id: string, options?: CallOptions): Promise<void> {
    const isOwn = this.#transport.keyOf(options)?.startsWith(`mb_${id}_`) === true;
    await this.#transport.json<unknown>({
      ...{ method: 'DELETE', path: path`/api/keys/${id}`, options },
      earlierResult: async (status) => (isOwn && status === 401 ? {} : undefined),
    });
  }
}

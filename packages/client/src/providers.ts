import type { ChangeProvider, CreateProvider, Provider, ProviderList } from './api-types.js';
import { listOf } from './list-of.js';
import type { Pages } from './pages.js';
import { path } from './path.js';
import type { Query } from './query.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** `client.providers`: the organization's own, which send its mail instead of those of the service. */
export class Providers {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query?: Query<'listProviders'>, options?: CallOptions): Pages<Provider> {
    return listOf(this.#transport, { path: '/api/providers', query, options }, (body: ProviderList) => body.providers);
  }

  /** No response contains the credentials. */
  create(provider: CreateProvider, options?: CallOptions): Promise<Provider> {
    return this.#transport.json({ method: 'POST', path: '/api/providers', body: provider, options });
  }

  get(id: string, options?: CallOptions): Promise<Provider> {
    return this.#transport.json({ method: 'GET', path: path`/api/providers/${id}`, options });
  }

  /** What is absent stays as it is; null removes `weight`, `perSecond` or `eventKey`. */
  change(id: string, body: ChangeProvider, options?: CallOptions): Promise<Provider> {
    return this.#transport.json({
      method: 'PATCH',
      path: path`/api/providers/${id}`,
      body,
      isRepeatable: true,
      options,
    });
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.json({ method: 'DELETE', path: path`/api/providers/${id}`, options });
  }
}

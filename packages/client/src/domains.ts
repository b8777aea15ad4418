import type { CreateDomain, Domain, DomainList } from './api-types.js';
import { listOf } from './list-of.js';
import type { Pages } from './pages.js';
import { path } from './path.js';
import type { Query } from './query.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** `client.domains` */
export class Domains {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query?: Query<'listDomains'>, options?: CallOptions): Pages<Domain> {
    return listOf(this.#transport, { path: '/api/domains', query, options }, (body: DomainList) => body.domains);
  }

  /** Adds a sending domain. The result has the records to publish. */
  create(domain: CreateDomain, options?: CallOptions): Promise<Domain> {
    return this.#transport.json({ method: 'POST', path: '/api/domains', body: domain, options });
  }

  get(id: string, options?: CallOptions): Promise<Domain> {
    return this.#transport.json({ method: 'GET', path: path`/api/domains/${id}`, options });
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.json({ method: 'DELETE', path: path`/api/domains/${id}`, options });
  }

  /** Checks the DNS records of the domain now. */
  verify(id: string, options?: CallOptions): Promise<Domain> {
    return this.#transport.json({
      method: 'POST',
      path: path`/api/domains/${id}/verify`,
      isRepeatable: true,
      options,
    });
  }
}

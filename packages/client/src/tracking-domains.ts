import type { CreateTrackingDomain, TrackingDomain, TrackingDomainList } from './api-types.js';
import { listOf } from './list-of.js';
import type { Pages } from './pages.js';
import { path } from './path.js';
import type { Query } from './query.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** `client.trackingDomains` */
export class TrackingDomains {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query?: Query<'listTrackingDomains'>, options?: CallOptions): Pages<TrackingDomain> {
    return listOf(
      this.#transport,
      { path: '/api/tracking-domains', query, options },
      (body: TrackingDomainList) => body.trackingDomains,
    );
  }

  /** Adds a domain for tracked links. The result has the records to publish. */
  create(domain: CreateTrackingDomain, options?: CallOptions): Promise<TrackingDomain> {
    return this.#transport.json({ method: 'POST', path: '/api/tracking-domains', body: domain, options });
  }

  get(id: string, options?: CallOptions): Promise<TrackingDomain> {
    return this.#transport.json({ method: 'GET', path: path`/api/tracking-domains/${id}`, options });
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.json({ method: 'DELETE', path: path`/api/tracking-domains/${id}`, options });
  }

  /** Checks the DNS records of the domain now. */
  verify(id: string, options?: CallOptions): Promise<TrackingDomain> {
    return this.#transport.json({
      method: 'POST',
      path: path`/api/tracking-domains/${id}/verify`,
      isRepeatable: true,
      options,
    });
  }
}

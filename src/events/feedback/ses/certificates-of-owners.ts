import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { BoundedMap } from '../../../platform/memory/bounded-map.js';
import { SnsCertificates } from './sns-certificates.js';
import { SNS_FETCH, type SnsFetch } from './sns-fetch.js';

/** Organizations whose certificates are kept. */
const MAX_ORGANIZATIONS = 1_000;

/**
 * The certificates of the service's topics, and of each organization's. The owner of a topic can name new addresses as
 * certificates, so the fetches and the memory of one owner are not those of another one.
 */
@Injectable()
export class CertificatesOfOwners {
  private readonly ofService: SnsCertificates;
  private readonly ofOrganizations = new BoundedMap<string, SnsCertificates>(MAX_ORGANIZATIONS);

  constructor(
    @Inject(SNS_FETCH) private readonly fetch: SnsFetch,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.ofService = new SnsCertificates(fetch, clock);
  }

  /**
   * The key of a certificate; undefined if it cannot be fetched now.
   * @param url a pinned address
   * @param organizationId the owner of the topic; undefined for the service
   */
  keyOf(url: URL, organizationId: string | undefined): Promise<KeyObject | undefined> {
    const certificates = organizationId === undefined ? this.ofService : this.of(organizationId);
    return certificates.keyOf(url);
  }

  private of(organizationId: string): SnsCertificates {
    const known = this.ofOrganizations.get(organizationId);
    if (known) return known;
    const certificates = new SnsCertificates(this.fetch, this.clock);
    this.ofOrganizations.set(organizationId, certificates);
    return certificates;
  }
}

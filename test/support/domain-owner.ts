import type { DomainRecord } from '../../src/domains/domain-record.js';
import type { DomainView } from '../../src/domains/domain-view.js';
import type { DnsServer } from './dns-server.js';
import type { TestClient } from './service.js';

/** Adds domains for an organization and publishes the DNS records that the API requires. */
export class DomainOwner {
  constructor(
    readonly client: TestClient,
    private readonly dns: DnsServer,
  ) {}

  async add(domain: string): Promise<DomainView> {
    const { status, body } = await this.client.post<DomainView>('/api/domains', { domain });
    expect(status).toBe(201);
    return body;
  }

  async verify({ id }: DomainView): Promise<DomainView> {
    const { status, body } = await this.client.post<DomainView>(`/api/domains/${id}/verify`);
    expect(status).toBe(200);
    return body;
  }

  publishOwnership(domain: DomainView): void {
    publishOwnership(this.dns, domain);
  }

  /** Adds a domain, publishes only its ownership record, and verifies it. */
  async addOwned(name: string): Promise<DomainView> {
    const domain = await this.add(name);
    this.publishOwnership(domain);
    return this.verify(domain);
  }

  async remove({ id }: DomainView): Promise<void> {
    expect((await this.client.delete(`/api/domains/${id}`)).status).toBe(204);
  }
}

/** The record that shows who owns the domain. */
export function ownershipOf({ records }: DomainView): DomainRecord {
  return records.find(({ purpose }) => purpose === 'ownership')!;
}

export function publishOwnership(dns: DnsServer, domain: DomainView): void {
  const { name, value } = ownershipOf(domain);
  dns.txt(name, value);
}

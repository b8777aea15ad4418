import { LEAD_MS } from '../../src/domains/tracking/base-url-switch.js';
import type { TrackingDomainView } from '../../src/domains/tracking/tracking-domain-row.js';
import { DnsServer } from './dns-server.js';
import { AWAIT_RESULT, TestService, type TestClient } from './service.js';

/** Name of the tracking hosts in these tests. */
export const TRACKING_TARGET = 'track.platform.example';

/** A service whose clock the test moves, with a name server for the domains of its organizations. */
export class TrackingDomainBed {
  private constructor(
    readonly dns: DnsServer,
    readonly service: TestService,
    private readonly time: { now: number },
  ) {}

  static async start(): Promise<TrackingDomainBed> {
    const dns = await DnsServer.listen();
    const time = { now: Date.UTC(2026, 2, 1) };
    const environment = { DNS_SERVERS: dns.address, TRACKING_DOMAIN_TARGET: TRACKING_TARGET, ...AWAIT_RESULT };
    const service = await TestService.start({ clock: { now: () => time.now }, environment });
    return new TrackingDomainBed(dns, service, time);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.dns.close();
  }

  get now(): number {
    return this.time.now;
  }

  pass(milliseconds: number): void {
    this.time.now += milliseconds;
  }

  publish({ records }: TrackingDomainView): void {
    for (const { type, name, value } of records) {
      if (type === 'TXT') this.dns.txt(name, value);
      else this.dns.cname(name, value);
    }
  }

  async add(domain: string, client: TestClient): Promise<TrackingDomainView> {
    const { status, body } = await client.post<TrackingDomainView>('/api/tracking-domains', { domain });
    expect(status).toBe(201);
    return body;
  }

  async verify({ id }: TrackingDomainView, client: TestClient): Promise<TrackingDomainView> {
    const { status, body } = await client.post<TrackingDomainView>(`/api/tracking-domains/${id}/verify`);
    expect(status).toBe(200);
    return body;
  }

  /** Adds, verifies and lets time pass until new emails use the domain. */
  async use(domain: string, client: TestClient): Promise<TrackingDomainView> {
    const added = await this.add(domain, client);
    this.publish(added);
    const verified = await this.verify(added, client);
    const usedSince = new Date(this.now + LEAD_MS).toISOString();
    expect(verified).toMatchObject({ status: 'verified', usedSince });
    this.pass(LEAD_MS);
    return verified;
  }
}

import { DnsServer } from '../support/dns-server.js';
import { newUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { seedOrganization, type Seeded } from './seeded-organization.js';

export interface SeededService {
  readonly service: TestService;
  readonly organization: TestClient;
  /** The address of an owner of the organization. */
  readonly owner: string;
  readonly ids: Seeded;
  stop(): Promise<void>;
}

/** A service whose organization has something to show on every page. */
export async function startSeededService(): Promise<SeededService> {
  const [dns, receiver] = await Promise.all([DnsServer.listen(), WebhookReceiver.listen()]);
  const service = await TestService.start({
    environment: { DNS_SERVERS: dns.address, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', RATE_LIMIT_PER_MINUTE: '0' },
  });
  const organization = await service.organization('pro', 'Acme');
  const { email: owner } = await newUser(service, organization.organizationId, 'owner');
  await newUser(service, organization.organizationId, 'viewer');
  const ids = await seedOrganization(service, organization, dns, receiver);
  const stop = async (): Promise<void> => {
    await service.stop();
    await Promise.all([dns.close(), receiver.stop()]);
  };
  return { service, organization, owner, ids, stop };
}

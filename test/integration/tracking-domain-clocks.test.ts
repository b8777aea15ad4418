import { jest } from '@jest/globals';
import { signLink } from '../../src/links/link-token.js';
import { generateTrackingIdOf } from '../../src/links/organization-tag.js';
import { loadSigningKeys } from '../../src/links/signing-key-store.js';
import { eventually } from '../support/eventually.js';
import { rawRequest } from '../support/raw-http.js';
import { TestService, type TestClient } from '../support/service.js';

const DOMAIN = 'click.moved.example';
const AHEAD_MS = 2 * 3_600_000;
const { now } = Date;
const environment = { ROLES: 'tracking' };

let service: TestService;
let ahead: TestService;
let organizations: readonly TestClient[];

beforeAll(async () => {
  service = await TestService.start({ environment });
  organizations = [await service.organization(), await service.organization()];
  await begin(organizations[0]!);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + AHEAD_MS);
  ahead = await TestService.start({ beside: service, environment });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await ahead?.stop();
  await service?.stop();
});

/** Lets new emails of an organization use the domain, as a process with the right time does. */
async function begin({ organizationId }: TestClient): Promise<void> {
  await service.database.query(
    `insert into tracking_base_urls (organization_id, used_from, domain, base_url)
     values ($1, now() + interval '10 s', $2, 'https://' || $2)`,
    [organizationId, DOMAIN],
  );
}

async function statusOfLink({ organizationId }: TestClient): Promise<number> {
  const keys = await loadSigningKeys(service.database);
  const emailTrackingId = generateTrackingIdOf(keys, organizationId);
  const token = signLink(keys, { emailTrackingId, position: 0, url: 'https://a.example/' });
  const head = `GET /api/t/c/${token} HTTP/1.1\r\nHost: ${DOMAIN}\r\nConnection: close\r\n`;
  const response = await rawRequest(Number(new URL(ahead.address).port), `${head}\r\n`);
  return Number(response.split(' ')[1]);
}

it('a tracking host whose clock is hours ahead follows links of an organization that takes over a domain', async () => {
  expect(await statusOfLink(organizations[1]!)).toBe(404);
  await begin(organizations[1]!);
  await eventually(async () => (await statusOfLink(organizations[1]!)) === 302);
});

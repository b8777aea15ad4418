import { LEAD_MS } from '../../src/domains/tracking/base-url-switch.js';
import type { TrackingDomainView } from '../../src/domains/tracking/tracking-domain-row.js';
import type { TestClient } from '../support/service.js';
import { TrackingDomainBed } from '../support/tracking-domain-bed.js';

/* An organization whose tracking domains come and go. */

const DAY_MS = 86_400_000;
const MAX_A_DAY = 20;

let bed: TrackingDomainBed;
let client: TestClient;
let made = 0;

beforeAll(async () => {
  bed = await TrackingDomainBed.start();
});
beforeEach(async () => {
  client = await bed.service.organization();
  bed.pass(2 * DAY_MS);
});
afterAll(() => bed?.stop());

async function verified(): Promise<TrackingDomainView> {
  bed.pass(1);
  const domain = await bed.add(`often-${++made}.example`, client);
  bed.publish(domain);
  return bed.verify(domain, client);
}

const remove = ({ id }: TrackingDomainView) => client.delete(`/api/tracking-domains/${id}`);
const read = async ({ id }: TrackingDomainView) =>
  (await client.get<TrackingDomainView>(`/api/tracking-domains/${id}`)).body;

/** Begins to use another domain so often. Returns the last one. */
async function begin(times: number): Promise<TrackingDomainView> {
  let last = await verified();
  for (let begun = 1; begun < times; begun++) {
    await remove(last);
    last = await verified();
  }
  expect(last.usedSince).not.toBeNull();
  return last;
}

async function periods(): Promise<number> {
  const [row] = await bed.service.database.query<{ count: number }>(
    'select count(*)::integer as count from tracking_base_urls where organization_id = $1',
    [client.organizationId],
  );
  return row!.count;
}

async function addressOfNewEmail(): Promise<string> {
  bed.pass(LEAD_MS);
  const email = { from: 'a@acme.example', to: 'b@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<{ pixelUrl: string }>('/api/emails', email);
  return new URL(body.pixelUrl).origin;
}

it('begins to use a domain 20 times a day, and then with a check after that', async () => {
  await remove(await begin(MAX_A_DAY));
  const next = await verified();
  expect(next).toMatchObject({ status: 'verified', usedSince: null });
  expect(await periods()).toBe(MAX_A_DAY);
  expect(await addressOfNewEmail()).toBe('http://track.test');
  bed.pass(DAY_MS);
  expect((await bed.verify(next, client)).usedSince).not.toBeNull();
  expect(await addressOfNewEmail()).toBe(`https://${next.domain}`);
});

it('keeps the domain in use meanwhile, until it lacks a record', async () => {
  const used = await begin(MAX_A_DAY);
  const next = await verified();
  expect([next.usedSince, (await read(used)).usedSince]).toEqual([null, used.usedSince]);
  expect(await addressOfNewEmail()).toBe(`https://${used.domain}`);
  bed.dns.zone.delete(used.domain);
  expect(await bed.verify(used, client)).toMatchObject({ failingSince: expect.any(String), usedSince: null });
  expect(await addressOfNewEmail()).toBe('http://track.test');
  expect(await periods()).toBe(MAX_A_DAY);
});

it('counts no changes of other organizations', async () => {
  await begin(MAX_A_DAY);
  client = await bed.service.organization();
  const own = await verified();
  expect(own.usedSince).not.toBeNull();
  expect(await addressOfNewEmail()).toBe(`https://${own.domain}`);
});

import { TrackingHosts } from '../../src/domains/tracking/tracking-hosts.js';
import { SigningKeyRing } from '../../src/links/signing-key-ring.js';
import { addSigningKey } from '../../src/links/signing-key-store.js';
import { generateTrackingIdOf } from '../../src/links/organization-tag.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import type { Database } from '../../src/platform/database/database.js';
import { CapturedLog } from '../support/captured-log.js';
import { eventually } from '../support/eventually.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const DOMAIN = 'click.owner.example';
const HOUR_MS = 3_600_000;
const [owner, other] = [uuidV7(Date.now()), uuidV7(Date.now())];

let open: OpenTestDatabase;
let ring: SigningKeyRing;
let hosts: TrackingHosts;
const time = { now: Date.now() };
const log = new CapturedLog('info', ['tracking']);
/** Postgres as the tracking hosts see it. */
const outage = { is: true };

beforeAll(async () => {
  open = await openTestDatabase();
  const { database } = open;
  await database.query(`insert into organizations (id, name, plan) select unnest($1::uuid[]), 'O', 'pro'`, [
    [owner, other],
  ]);
  await begin(DOMAIN, owner);
  ring = new SigningKeyRing(database, log.logger);
  await ring.onModuleInit();
  const prepared: Database['prepared'] = (...query) =>
    outage.is ? Promise.reject(new Error('Postgres is away')) : database.prepared(...query);
  const clock = { now: () => time.now };
  const settings = { BASE_URL: 'https://track.test' };
  hosts = new TrackingHosts({ prepared } as Database, ring, settings, clock, log.logger);
});
afterAll(async () => {
  await hosts?.onApplicationShutdown();
  ring?.onApplicationShutdown();
  await open?.close();
});

function begin(domain: string, organizationId: string): Promise<unknown> {
  return open.database.query(
    `insert into tracking_base_urls (organization_id, used_from, domain, base_url) values ($1, $2, $3, 'https://' || $3)`,
    [organizationId, new Date(time.now + 10_000), domain],
  );
}

/** Whether the link of a new email of the organization works there. */
function serves(organizationId: string, host = DOMAIN): boolean {
  return hosts.serves(host, generateTrackingIdOf(ring.current, organizationId));
}

it('a process that cannot read the domains at its start follows all links', async () => {
  await hosts.onModuleInit();
  expect([serves(owner), serves(other)]).toEqual([true, true]);
  outage.is = false;
  await eventually(() => !serves(other));
  expect(serves(owner)).toBe(true);
});

it('each signing key has its own tags, and links of earlier keys work', async () => {
  const earlier = generateTrackingIdOf(ring.current, owner);
  await addSigningKey(open.database);
  await open.database.query(`update signing_keys set created_at = now() - (3 - id) * interval '1 h'`);
  await ring.reload();
  expect(ring.current.newest.id).toBe(2);
  expect([serves(owner), serves(other), hosts.serves(DOMAIN, earlier)]).toEqual([true, false, true]);
});

it('the last known domains stay in use while Postgres is away, and those that began meanwhile are known afterwards', async () => {
  outage.is = true;
  await eventually(() => log.text.split('could not be refreshed').length === 3);
  expect([serves(owner), serves(other)]).toEqual([true, false]);
  await begin('click.other.example', other);
  time.now += 2 * HOUR_MS;
  outage.is = false;
  await eventually(() => !serves(owner, 'click.other.example'));
  expect(serves(other, 'click.other.example')).toBe(true);
  expect(log.text.match(/is up to date again/g)).toHaveLength(2);
});

it('the domain of a deleted organization is forgotten within an hour', async () => {
  await open.database.query('delete from tracking_base_urls where organization_id = $1', [owner]);
  expect(serves(other)).toBe(false);
  time.now += HOUR_MS;
  await eventually(() => serves(other));
});

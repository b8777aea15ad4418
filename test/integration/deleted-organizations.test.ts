import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { FoldedStats } from '../../src/campaigns/stats/fold-stats.js';
import { storeDeadLetters } from '../../src/events/dead-letters/dead-letters.js';
import { encodeEvent, packEntry } from '../../src/events/stream/codec/event-codec.js';
import { markDeleted } from '../../src/organizations/deletion/mark-deleted.js';
import { OrganizationDeletion } from '../../src/organizations/deletion/organization-deletion.js';
import { reportOf } from '../emails/recipients/reported-mail.js';
import { eventually } from '../support/eventually.js';
import { findInTables } from '../support/find-everywhere.js';
import { fillOrganization, TELLTALE } from '../support/full-organization.js';
import { newUser, signedIn } from '../support/people.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';
import { countRows, tablesOfOrganization } from '../support/tables-of-organization.js';

/** HEAD requests count nothing, so the rows of the other organization do not change. */
const HEAD = { method: 'HEAD' };
/** Audit entries stay, and a job moves the rows of `stat_deltas` at any time. */
const OTHERS = new Set(['audit_entries', 'stat_deltas']);
/** A deletion takes effect within this time. */
const EFFECTIVE_MS = 5_000;

let service: TestService;
let client: TestClient;
let other: TestClient;
let link: string;
let linkOfOther: string;
let pixel: string;
let letterOfOther: string;
let before: Record<string, number>;
let tables: string[];

const email = {
  from: 'a@acme.example',
  to: 'ada@example.com',
  subject: 'S',
  htmlContent: '<a href="https://a.test/">x</a>',
};
const send = async (by: TestClient): Promise<string> =>
  (await by.post<SendResponse>('/api/send', email)).body.links[0]!.trackingUrl;
const pixelOf = async (by: TestClient): Promise<string> =>
  (await by.post<SendResponse>('/api/send', email)).body.pixelUrl;
/** Makes an event of one of its emails a dead letter. @returns the stream entry that contains it */
async function deadLetter(by: TestClient): Promise<string> {
  const sql = 'select id from emails where organization_id = $1 limit 1';
  const [email] = await service.database.query<{ id: string }>(sql, [by.organizationId]);
  const payload = packEntry([encodeEvent(reportOf(email!.id, 'ada@example.com', 'bounced', { bounce: 'hard' }))]);
  const streamEntryId = `1-${by.organizationId}`;
  await storeDeadLetters(service.database, [{ streamEntryId, payload, reason: 'malformed' }]);
  return streamEntryId;
}
/** In capitals, as an operator may have the ID: Postgres accepts both. */
const mark = (): Promise<boolean> =>
  service.database.transaction((sql) => markDeleted(sql, client.organizationId.toUpperCase()));

beforeAll(async () => {
  service = await TestService.start({ environment: AWAIT_RESULT });
  other = await service.organization('pro', 'Other');
  linkOfOther = await send(other);
  await eventually(async () => (await service.database.query('select from events')).length > 0);
  await new FoldedStats(service.database).fold();
  tables = (await tablesOfOrganization(service.database)).filter((table) => !OTHERS.has(table));
  before = await countRows(service.database, tables);
  client = await service.organization('pro', TELLTALE);
  link = await send(client);
  pixel = await pixelOf(client);
  // Some of the rows that fill the tables block links of the organization.
  expect((await service.track(link)).status).toBe(302);
  await fillOrganization(service.database, client.organizationId);
  await deadLetter(client);
  letterOfOther = await deadLetter(other);
});
afterAll(() => service?.stop());

describe('`cli org delete ID`', () => {
  it('the test covers every table that has rows of an organization', async () => {
    const filled = await countRows(service.database, tables);
    expect(tables.filter((table) => filled[table]! <= before[table]!)).toEqual([]);
    expect(tables.length).toBeGreaterThan(35);
  });

  it('marks it at once: its keys get 401, its links respond like unknown links, and queued mail is not sent', async () => {
    const later = { ...email, sendAt: new Date(Date.now() + 86_400_000).toISOString() };
    await client.post('/api/send', later);
    expect(await mark()).toBe(true);
    expect(await mark()).toBe(false);
    await eventually(async () => (await client.get('/api/campaigns')).status === 401, EFFECTIVE_MS);
    const unknown = await service.track(`${link.slice(0, -1)}!`);
    const dead = await eventually(async () => {
      const response = await service.track(link);
      return response.status === 404 && response;
    }, EFFECTIVE_MS);
    expect(await dead.text()).toBe(await unknown.text());
    expect((await service.track(linkOfOther, HEAD)).status).toBe(302);
    expect((await other.get('/api/campaigns')).status).toBe(200);
  });

  it('deletes the rest in the background: no table has its ID, its addresses or any of its rows', async () => {
    await service.database.query(
      `update organizations set deleted_at = now() - interval '1 minute' where deleted_at is not null`,
    );
    const deletion = new OrganizationDeletion(service.database, pino({ level: 'silent' }), new Registry());
    await eventually(async () => {
      await deletion.run(new AbortController().signal);
      return (await service.database.query('select from organizations where deleted_at is not null')).length === 0;
    });
    expect(await countRows(service.database, tables)).toEqual(before);
    const letters = await service.database.query('select stream_entry_id as entry from event_dead_letters');
    expect(letters).toEqual([{ entry: letterOfOther }]);
    expect(await findInTables(service.database, [TELLTALE])).toEqual([]);
    const columns = ['audit_entries.organization_id', 'audit_entries.target_id'];
    expect(await findInTables(service.database, [client.organizationId])).toEqual(columns);
  });

  it('disables its links, and not those of others', async () => {
    const rows = await service.database.query<{ kind: string }>('select kind from blocked_links');
    expect(rows).toEqual([{ kind: 'tag' }]);
    const second = await TestService.start({ beside: service, environment: { ROLES: 'tracking' } });
    try {
      expect((await second.track(link)).status).toBe(404);
      expect((await second.track(linkOfOther, HEAD)).status).toBe(302);
    } finally {
      await second.stop();
    }
  });

  it('responds to opens of its mail, and stores nothing about them', async () => {
    const letters = 'select from event_dead_letters';
    const before = (await service.database.query(letters)).length;
    const opened = await service.track(pixel);
    expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'image/gif']);
    const pixelOfOther = await pixelOf(other);
    await service.track(pixelOfOther);
    const opens = "select from events where type = 'opened'";
    await eventually(async () => (await service.database.query(opens)).length === 1);
    expect((await service.database.query(letters)).length).toBe(before);
  });

  it('accepts no new user, although processes cache sessions for a few seconds', async () => {
    const late = await service.organization();
    const browser = await signedIn(service, await newUser(service, late.organizationId, 'owner'));
    expect((await browser.get('/api/campaigns')).status).toBe(200);
    await service.database.transaction((sql) => markDeleted(sql, late.organizationId));
    const { status } = await browser.post('/api/users', { email: 'grace@acme.example', role: 'viewer' });
    expect([401, 404]).toContain(status);
    expect(await service.database.query('select from users')).toEqual([]);
  });
});

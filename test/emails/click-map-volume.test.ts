import { ClickMaps } from '../../src/emails/read/click-map.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import type { Database } from '../../src/platform/database/database.js';
import { markLinks } from '../../src/rendering/dead-links.js';
import { insertOrganization } from '../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

/** Emails of one campaign in which a scanner followed every link. */
const EMAILS = 1_000;
const LINKS = 100;
const [campaignId, broadcastId, messageId] = [1, 2, 3].map(() => uuidV7(Date.now()));

let opened: OpenTestDatabase;
let database: Database;
let organizationId: string;

beforeAll(async () => {
  opened = await openTestDatabase(1);
  ({ database } = opened);
  organizationId = await insertOrganization(database);
  await database.query(`insert into campaigns (id, organization_id, name) values ($1, $2, 'Spring')`, [
    ...[campaignId, organizationId],
  ]);
  await database.query(`insert into messages (id, organization_id, subject, html) values ($1, $2, 'S', 'x')`, [
    ...[messageId, organizationId],
  ]);
  await database.query(
    `insert into broadcasts (id, organization_id, message_id, name, sender) values ($1, $2, $3, 'Spring', 'ada@acme.example')`,
    [broadcastId, organizationId, messageId],
  );
  await database.query(
    `with email as (
       insert into emails (id, tracking_id, organization_id, campaign_id, broadcast_id, contact_ids, status, clicks)
       select gen_random_uuid(), 'x-' || n, $1, $2, $3, '{}', 'sent', ${LINKS} from generate_series(1, ${EMAILS}) n returning id
     ), content as (
       insert into email_contents (email_id, sender, to_addresses, subject, html, variables)
       select id, 'ada@acme.example', '{reader@example.com}', 'S', '', '{}' from email
     ), links as (
       insert into email_links (email_id, urls)
       select id, array(select 'https://shop.example/' || n || '?campaign=spring&reader=' || md5(id::text || n)
                          from generate_series(1, ${LINKS}) n) from email
     )
     insert into email_link_clicks (email_id, position, clicks)
     select id, n - 1, 1 from email, generate_series(1, ${LINKS}) n`,
    [organizationId, campaignId, broadcastId],
  );
  await database.query('analyze');
});
afterAll(() => opened?.close());

it.each([
  ['as many links', LINKS, EMAILS],
  ['fewer links', LINKS - 1, 0],
])('counts the clicks on emails with many links if the shown one has %s', async (_, links, clicks) => {
  const html = Array.from({ length: links }, (_link, n) => `<a href="https://shop.example/${n}">x</a>`).join('');
  const previews = { marked: () => Promise.resolve(markLinks(html, 'https://track.example')) };
  const maps = new ClickMaps(database, previews as never);
  // A third of the time that the product gives a statement, and for a twentieth of the emails.
  await database.query(`set statement_timeout = '5s'`);
  const map = await maps.ofCampaign({ organizationId }, campaignId!);
  expect(map.links).toHaveLength(links);
  for (const link of map.links) expect(link.clicks).toBe(clicks);
});

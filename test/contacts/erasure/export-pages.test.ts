import { PersonExports } from '../../../src/contacts/erasure/export-person.js';
import type { OldEvents } from '../../../src/events/store/old-events.js';
import { operatorOf } from '../../../src/organizations/audit/record-audit.js';
import { insertOrganization } from '../../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let opened: OpenTestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened.close());

/** Emails to two people, so that no contact is needed. */
async function insertEmails(organizationId: string, emails: number, columns: { html: string; urls: string }) {
  await opened.database.query(
    `with made as (
       insert into emails (id, tracking_id, organization_id, contact_ids, status, created_at)
       select gen_random_uuid(), 'x-' || gen_random_uuid(), $1, '{}', 'sent', now() from generate_series(1, $2::integer)
       returning id
     ), linked as (
       insert into email_links (email_id, urls) select id, ${columns.urls} from made
     )
     insert into email_contents (email_id, sender, to_addresses, subject, html)
     select id, 'ada@acme.example', array['jane@example.com', 'bob@example.com'], 'S', ${columns.html} from made`,
    [organizationId, emails],
  );
}

it.each([
  ['bodies', { html: `repeat('x', 1000000)`, urls: `'{}'` }],
  ['links', { html: `'x'`, urls: `array_fill(repeat('x', 10000), array[100])` }],
])('an export of emails with long %s holds few of them at a time', async (_, columns) => {
  const organizationId = await insertOrganization(opened.database);
  await insertEmails(organizationId, 20, columns);
  const exports = new PersonExports(opened.database, {} as OldEvents);
  const file = await exports.export(organizationId, operatorOf(organizationId), 'jane@example.com');
  const pieces: string[] = [];
  for await (const piece of file) pieces.push(String(piece));
  const { emails } = JSON.parse(pieces.join('')) as { emails: object[] };
  expect(emails).toHaveLength(20);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(5_000_000);
});

it.each(['0', '(random() * 200000)::integer'])(
  'an export has each email of length %s once, in order',
  async (length) => {
    const organizationId = await insertOrganization(opened.database);
    await insertEmails(organizationId, 130, { html: `repeat('x', ${length})`, urls: `'{}'` });
    const exports = new PersonExports(opened.database, {} as OldEvents);
    const file = await exports.export(organizationId, operatorOf(organizationId), 'jane@example.com');
    let text = '';
    for await (const piece of file) text += String(piece);
    const ids = (JSON.parse(text) as { emails: { id: string }[] }).emails.map(({ id }) => id);
    const stored = await opened.database.query<{ id: string }>(
      'select id from emails where organization_id = $1 order by id',
      [organizationId],
    );
    expect(ids).toEqual(stored.map(({ id }) => id));
  },
);

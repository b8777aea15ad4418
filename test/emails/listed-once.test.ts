import type { QueryResultRow } from 'pg';
import type { Campaigns } from '../../src/campaigns/campaigns.js';
import type { ContactSearch } from '../../src/contacts/contact-search.js';
import { EmailList } from '../../src/emails/read/email-list.js';
import type { Settings } from '../../src/platform/config/settings.js';
import { Database, type Sql } from '../../src/platform/database/database.js';
import { firstUuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { insertOrganization } from '../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

/** So many emails with a tag are checked for a page, and so many subjects are searched together. */
const CHECKED = 3_000;
const SEARCHED = 5_000;
const START = Date.parse('2026-01-01T00:00:00Z');

let opened: OpenTestDatabase;
let organizationId: string;

beforeEach(async () => {
  opened = await openTestDatabase();
  organizationId = await insertOrganization(opened.database);
});
afterEach(() => opened.close());

const idAt = (second: number): string => firstUuidV7(START + second * 1_000);

/** Inserts tagged emails, one second apart. */
async function insertTagged(first: number, emails: number): Promise<void> {
  const ids = Array.from({ length: emails }, (_, number) => idAt(first + number));
  await opened.database.query(
    `with made as (
       insert into emails (id, tracking_id, organization_id, contact_ids, status, sent_at, tags)
       select id, id::text, $1, '{}', 'sent', now(), '{t}' from unnest($2::uuid[]) as id returning id
     ), content as (
       insert into email_contents (email_id, sender, to_addresses, subject, html)
       select id, 'ada@acme.example', '{reader@example.com}', 'S', '' from made
     )
     insert into email_tags (organization_id, tag, email_id) select $1, 't', id from made`,
    [organizationId, ids],
  );
}

const fail = (second: number) =>
  opened.database.query(`update emails set status = 'failed', failed_at = now(), sent_at = null where id = $1`, [
    idAt(second),
  ]);

/** Runs `meanwhile` after the first statement. */
class Interrupted extends Database {
  constructor(private meanwhile: (() => Promise<void>) | undefined) {
    super(opened.database.pool);
  }

  override query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.interrupt(super.query<Row>(sql, values));
  }

  override snapshot<Result>(read: (sql: Sql) => Promise<Result>): Promise<Result> {
    return super.snapshot((sql) => read({ ...sql, query: (text, values) => this.interrupt(sql.query(text, values)) }));
  }

  private async interrupt<Rows>(statement: Promise<Rows>): Promise<Rows> {
    const rows = await statement;
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
    return rows;
  }
}

/** The IDs on all pages. @param meanwhile runs after the first statement */
async function listed(filter: object, meanwhile: () => Promise<void>): Promise<string[]> {
  const settings = { PLATFORM_SENDING_DOMAIN: 'platform.test' } as Settings;
  const contacts = { find: () => Promise.resolve([]) } as unknown as ContactSearch;
  const list = new EmailList(new Interrupted(meanwhile), {} as Campaigns, contacts, settings);
  const ids: string[] = [];
  for (let after: readonly string[] | undefined, isLast = false; !isLast;) {
    const { items, next } = await list.list(organizationId, filter, { limit: 10, ...(after && { after }) });
    ids.push(...items.map(({ id }) => id));
    after = next;
    isLast = next === undefined;
  }
  return ids;
}

it('repeats no email when newer ones are accepted while a page is read', async () => {
  await insertTagged(0, CHECKED + 10);
  await fail(12);
  const accepted = () => insertTagged(CHECKED + 10, 5);
  expect(await listed({ tag: 't', status: 'failed' }, accepted)).toEqual([idAt(12)]);
});

it('leaves no email out when newer ones are accepted while a page of a search is read', async () => {
  await insertTagged(0, SEARCHED + 10);
  await opened.database.query(`update email_contents set subject = 'Invoice' where email_id = $1`, [idAt(12)]);
  const accepted = () => insertTagged(SEARCHED + 10, 5);
  expect(await listed({ search: 'invoice' }, accepted)).toEqual([idAt(12)]);
});

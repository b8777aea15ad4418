import type { MigrationInterface, QueryRunner } from 'typeorm';
import { OperatorError } from '../../errors/operator-error.js';

const INSUFFICIENT_PRIVILEGE = '42501';
const FEATURE_NOT_SUPPORTED = '0A000';

/**
 * Finds contacts by any part of their address. The trigrams have their own table, written once per contact: `contacts`
 * changes with every send and every event, and each change would rewrite all its indexes.
 */
export class ContactSearch1790300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createTrigramExtension(runner);
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of reverseStatements) await runner.query(statement);
  }
}

/** Since PostgreSQL 13, any role with the right to create objects in a database may create this extension in it. */
async function createTrigramExtension(runner: QueryRunner): Promise<void> {
  try {
    await runner.query('create extension if not exists pg_trgm');
  } catch (error) {
    // TypeORM's QueryFailedError, without loading TypeORM in processes that only need the names of migrations.
    const { driverError } = error as { driverError?: { code?: string } };
    const obstacle = obstacles.get(driverError?.code ?? '');
    throw obstacle ? new OperatorError(obstacle, { cause: error }) : error;
  }
}

const obstacles = new Map([
  [
    INSUFFICIENT_PRIVILEGE,
    'The database user may not create the extension pg_trgm, which the search of contacts needs. ' +
      'Have an administrator run in this database: create extension pg_trgm',
  ],
  [
    FEATURE_NOT_SUPPORTED,
    'This PostgreSQL lacks the extension pg_trgm, which the search of contacts needs: install its contrib package',
  ],
]);

const PRIMARY_KEY = (columns: string): string => `alter table contacts
  drop constraint contacts_pkey cascade,
  add constraint contacts_pkey primary key (id) ${columns}`;

/** Dropping the primary key also drops the foreign keys that refer to it. */
const FOREIGN_KEYS = ['contact_campaigns', 'contact_emails'].map(
  (table) => `alter table ${table}
    add constraint ${table}_contact_id_fkey foreign key (contact_id) references contacts (id) on delete cascade`,
);

const statements = [
  // With these columns, sorting search results and scanning the newest contacts need only the index.
  PRIMARY_KEY('include (organization_id, last_activity_at)'),
  ...FOREIGN_KEYS,
  `drop index contacts_last_activity`,
  `create index contacts_last_activity on contacts (organization_id, last_activity_at, id) include (address_key)`,

  // Trigrams contain only letters and digits: a Greek letter encodes each other character of an address, and an omega
  // at the end makes the last two characters the start of a trigram, so that searches for two characters work.
  // Characters that only some addresses contain are added as separate words, so that they can be searched for alone.
  `create function search_letters(address_key text) returns text
     language sql immutable parallel safe
     return translate(
       address_key || 'ω' || regexp_replace(translate(address_key, 'abcdefghilmnoprstu@.', ''), '(.)', ' \\1', 'g') || ' ',
       '@.!#$%&''*+/=?^_\`{|}~-', 'αβγδεζηθικλμνξοπρστυφ')`,
  `create table contact_search (
    contact_id bigint primary key references contacts (id) on delete cascade,
    organization_id uuid not null,
    letters text not null
  )`,
  `insert into contact_search (contact_id, organization_id, letters)
   select id, organization_id, search_letters(address_key) from contacts order by id`,
  // New entries wait in a pending list, which every search reads and which the insert that overfills it has to merge.
  // With the default of 4 MB, one send in many waits for a fifth of a second; without the list, every insert costs four
  // times as much.
  `create index contact_search_letters on contact_search using gin (letters gin_trgm_ops)
     with (gin_pending_list_limit = 256)`,
];

/** The extension stays, because other programs may use it by now. */
const reverseStatements = [
  'drop table contact_search',
  'drop function search_letters(text)',
  'drop index contacts_last_activity',
  'create index contacts_last_activity on contacts (organization_id, last_activity_at, id)',
  PRIMARY_KEY(''),
  ...FOREIGN_KEYS,
];

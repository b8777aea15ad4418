import type { MigrationInterface, QueryRunner } from 'typeorm';
import { OperatorError } from '../../errors/operator-error.js';

const INSUFFICIENT_PRIVILEGE = '42501';
const FEATURE_NOT_SUPPORTED = '0A000';

/**
 * Finds contacts by any part of their address. The trigrams have a table of their own, written once per contact:
 * contacts itself changes with every send and every event, and each change would write all its indexes again.
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

/** Since PostgreSQL 13 whoever may create in a database may also create this extension in it. */
async function createTrigramExtension(runner: QueryRunner): Promise<void> {
  try {
    await runner.query('create extension if not exists pg_trgm');
  } catch (error) {
    // TypeORM's QueryFailedError, without loading TypeORM wherever the names of migrations are needed.
    const { driverError } = error as { driverError?: { code?: string } };
    const obstacle = obstacles.get(driverError?.code ?? '');
    throw obstacle ? new OperatorError(obstacle, { cause: error }) : error;
  }
}

const obstacles = new Map([
  [
    INSUFFICIENT_PRIVILEGE,
    'The database user may not create the extension pg_trgm, which the search of contacts needs. ' +
      'Let an administrator run in this database: create extension pg_trgm',
  ],
  [
    FEATURE_NOT_SUPPORTED,
    'This PostgreSQL lacks the extension pg_trgm, which the search of contacts needs: install its contrib package',
  ],
]);

const PRIMARY_KEY = (columns: string): string => `alter table contacts
  drop constraint contacts_pkey cascade,
  add constraint contacts_pkey primary key (id) ${columns}`;

/** Dropping the primary key takes with it what refers to it. */
const FOREIGN_KEYS = ['contact_campaigns', 'contact_emails'].map(
  (table) => `alter table ${table}
    add constraint ${table}_contact_id_fkey foreign key (contact_id) references contacts (id) on delete cascade`,
);

const statements = [
  // Ordering what a search has found, and looking through the newest contacts, is then done in the index alone.
  PRIMARY_KEY('include (organization_id, last_activity_at)'),
  ...FOREIGN_KEYS,
  `drop index contacts_last_activity`,
  `create index contacts_last_activity on contacts (organization_id, last_activity_at, id) include (address_key)`,

  // A trigram is made of letters and digits only: each sign that an address may have stands as a Greek letter, and an
  // omega at the end makes the last two signs the beginning of a trigram, so that two signs can be searched for. What
  // only some addresses have stands once more as a word of its own, so that it can be searched for alone.
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
  // New entries wait in a list that every search reads and that the insert which overfills it must file away. With the
  // usual 4 MB one send in many waits for a fifth of a second; without a list every insert costs four times as much.
  `create index contact_search_letters on contact_search using gin (letters gin_trgm_ops)
     with (gin_pending_list_limit = 256)`,
];

/** The extension stays: others may use it by now. */
const reverseStatements = [
  'drop table contact_search',
  'drop function search_letters(text)',
  'drop index contacts_last_activity',
  'create index contacts_last_activity on contacts (organization_id, last_activity_at, id)',
  PRIMARY_KEY(''),
  ...FOREIGN_KEYS,
];

import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { addressKey, parseMailbox } from '../../emails/mailbox.js';
import { AuditLog, type Author } from '../../organizations/audit/record-audit.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { OldEvents } from '../../events/store/old-events.js';
import { ContactNotFoundError } from '../contacts.js';
import { oldEventPages } from './export-old-events.js';
import { CONTACT, EMAILS_OF_PERSON, EVENTS, SUPPRESSIONS, WAITING } from './export-statements.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';

/** Items per statement. Bodies of emails can be large. */
const EMAILS_PAGE = 50;
const EVENTS_PAGE = 5_000;

interface Row extends Record<string, unknown> {
  id: string;
  item: string;
}

/** Everything that an organization stores about a person, as one JSON document. */
@Injectable()
export class PersonExports {
  constructor(
    private readonly database: Database,
    private readonly oldEvents: OldEvents,
  ) {}

  /**
   * Reads in pages, so it holds no transaction and needs little memory.
   * @throws ContactNotFoundError when nothing about the address is stored
   */
  async export(organizationId: string, author: Author, address: string): Promise<Readable> {
    const key = addressKey(parseMailbox(address)?.address ?? address);
    const values = [organizationId, key] as const;
    const [contact] = await this.database.query<{ item: string }>(CONTACT, values);
    const suppressions = await readAll(this.database, SUPPRESSIONS, values);
    const waiting = await readAll(this.database, WAITING, values);
    const emails = pages(this.database, EMAILS_OF_PERSON, values, EMAILS_PAGE);
    const first = await emails.next();
    const isUnknown = !contact && suppressions.length + waiting.length === 0 && first.done === true;
    if (isUnknown) throw new ContactNotFoundError();
    const [row] = await this.database.query<{ hash: string }>(
      `select encode(person_hash($1, $2), 'hex') as hash`,
      values,
    );
    const target = { kind: 'contact', id: row!.hash };
    await AuditLog.record(this.database, { ...author, action: 'contact.exported', target });
    const head = `{"contact":${contact?.item ?? 'null'},"suppressions":[${suppressions.join()}],"broadcasts":[${waiting.join()}]`;
    const events = [
      oldEventPages(this.database, this.oldEvents, values),
      pages(this.database, EVENTS, values, EVENTS_PAGE),
    ];
    return Readable.from(document(head, first, emails, events), { highWaterMark: 1 });
  }
}

async function* document(
  head: string,
  first: IteratorResult<string>,
  emails: AsyncIterable<string>,
  events: readonly AsyncIterable<string>[],
): AsyncGenerator<string> {
  yield `${head},"emails":[`;
  if (!first.done) yield first.value;
  for await (const page of emails) yield `,${page}`;
  yield '],"events":[';
  let isFirst = true;
  for (const source of events) {
    for await (const page of source) {
      yield isFirst ? page : `,${page}`;
      isFirst = false;
    }
  }
  yield ']}\n';
}

async function readAll(sql: Sql, statement: string, values: readonly unknown[]): Promise<string[]> {
  return (await sql.query<{ item: string }>(statement, values)).map(({ item }) => item);
}

/** Pages of JSON items, joined by commas. $3 is the ID of the last item of the page before, $4 the size of a page. */
async function* pages(sql: Sql, statement: string, values: readonly unknown[], size: number): AsyncGenerator<string> {
  for (let after = NIL_UUID; ;) {
    const rows: Row[] = await sql.query<Row>(statement, [...values, after, size]);
    if (rows.length > 0) yield rows.map(({ item }) => item).join();
    if (rows.length < size) return;
    after = rows.at(-1)!.id;
  }
}

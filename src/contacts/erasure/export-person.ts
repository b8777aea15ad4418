import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { requestedAddressKey } from '../../emails/mailbox.js';
import { AuditLog, type Author } from '../../organizations/audit/record-audit.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { OldEvents } from '../../events/store/old-events.js';
import { OrganizationTransfers } from '../../platform/http/organization-transfers.js';
import { ContactNotFoundError } from '../contacts.js';
import { oldEventPages } from './export-old-events.js';
import { exportedEvent, type ExportedEvent } from './exported-event.js';
import { CONTACT, EMAILS, EMAILS_OF_PERSON, EVENTS, LENGTHS, SUPPRESSIONS, WAITING } from './export-statements.js';
import { personHash } from './person-hash.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';

type EventRow = ExportedEvent & { readonly id: string };

/** Items per statement. */
const IDS_PAGE = 5_000;
const EMAILS_PAGE = 50;
/** An email can have some 10 MB: a page ends before it has more than this. */
const EMAILS_PAGE_BYTES = 4_000_000;
const EVENTS_PAGE = 5_000;

/** Everything that an organization stores about a person, as one JSON document. */
@Injectable()
export class PersonExports {
  private readonly transfers = new OrganizationTransfers();

  constructor(
    private readonly database: Database,
    private readonly oldEvents: OldEvents,
  ) {}

  /** @throws ContactNotFoundError when nothing about the address is stored; TransferInProgressError */
  export(organizationId: string, author: Author, address: string): Promise<Readable> {
    const key = requestedAddressKey(address);
    return this.transfers.export(organizationId, this.pieces(organizationId, author, key));
  }

  /** Reads in pages, so it holds no transaction and needs little memory. */
  private async *pieces(organizationId: string, author: Author, key: string): AsyncGenerator<string> {
    const values = [organizationId, key] as const;
    const [contact] = await this.database.query<{ id: string; item: string }>(CONTACT, values);
    const suppressions = await readAll(this.database, SUPPRESSIONS, values);
    const waiting = await readAll(this.database, WAITING, values);
    const emails = emailPages(this.database, [...values, contact?.id ?? null]);
    const first = await emails.next();
    const isUnknown = !contact && suppressions.length + waiting.length === 0 && first.done === true;
    if (isUnknown) throw new ContactNotFoundError();
    const target = { kind: 'contact', id: await personHash(this.database, organizationId, key) };
    await AuditLog.record(this.database, { ...author, action: 'contact.exported', target });
    yield `{"contact":${contact?.item ?? 'null'},"suppressions":[${suppressions.join()}],"broadcasts":[${waiting.join()}]`;
    yield ',"emails":[';
    if (!first.done) yield first.value;
    for await (const page of emails) yield `,${page}`;
    yield '],"events":[';
    if (contact) yield* this.events(contact.id);
    yield ']}\n';
  }

  /** Postgres may still have some of the events from before the time since which it keeps them. */
  private async *events(contactId: string): AsyncGenerator<string> {
    const keptFrom = await this.oldEvents.keptFrom(this.database);
    yield* joined(
      oldEventPages(this.database, this.oldEvents, contactId),
      eventPages(this.database, contactId, keptFrom ?? new Date(0)),
    );
  }
}

async function* joined(...sources: readonly AsyncIterable<string>[]): AsyncGenerator<string> {
  let isFirst = true;
  for (const source of sources) {
    for await (const page of source) {
      yield isFirst ? page : `,${page}`;
      isFirst = false;
    }
  }
}

async function readAll(sql: Sql, statement: string, values: readonly unknown[]): Promise<string[]> {
  return (await sql.query<{ item: string }>(statement, values)).map(({ item }) => item);
}

/** Pages of JSON items, joined by commas. Each page of IDs sorts all copies, so it is much larger than one of emails. */
async function* emailPages(
  sql: Sql,
  person: readonly [organizationId: string, key: string, contactId: string | null],
): AsyncGenerator<string> {
  for (let after = NIL_UUID; ;) {
    const rows = await sql.query<{ id: string }>(EMAILS_OF_PERSON, [...person, after, IDS_PAGE]);
    const ids = rows.map(({ id }) => id);
    for (let start = 0; start < ids.length; start += EMAILS_PAGE) {
      for (const page of await shortPages(sql, ids.slice(start, start + EMAILS_PAGE))) {
        const items = await readAll(sql, EMAILS, [page, person[1]]);
        // Erased emails are missing.
        if (items.length > 0) yield items.join();
      }
    }
    if (ids.length < IDS_PAGE) return;
    after = ids.at(-1)!;
  }
}

/** Splits emails into pages that fit into memory. */
async function shortPages(sql: Sql, ids: readonly string[]): Promise<string[][]> {
  const pages: string[][] = [];
  let left = 0;
  for (const { id, bytes } of await sql.query<{ id: string; bytes: number }>(LENGTHS, [ids])) {
    const page = pages.at(-1);
    left -= bytes;
    if (page && left >= 0) page.push(id);
    else {
      pages.push([id]);
      left = EMAILS_PAGE_BYTES - bytes;
    }
  }
  return pages;
}

/** Pages of JSON items, joined by commas. @param since the time of the earliest events */
async function* eventPages(sql: Sql, contactId: string, since: Date): AsyncGenerator<string> {
  for (let after: readonly [Date, string] = [since, NIL_UUID]; ;) {
    const rows = await sql.query<EventRow>(EVENTS, [contactId, ...after, EVENTS_PAGE]);
    if (rows.length > 0) yield rows.map(exportedEvent).join();
    if (rows.length < EVENTS_PAGE) return;
    const { at, id } = rows.at(-1)!;
    after = [at, id];
  }
}

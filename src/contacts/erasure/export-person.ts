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
import { emailPieces } from './export-emails.js';
import { begun, idPages, itemPages, joined } from './export-pages.js';
import {
  BROADCASTS_OF_PERSON,
  CAMPAIGNS_OF_CONTACT,
  CONTACT,
  EVENTS,
  SUPPRESSIONS,
  WAITING,
} from './export-statements.js';
import { personHash } from './person-hash.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';

type EventRow = ExportedEvent & { readonly id: string };

/** Items per statement. */
const CAMPAIGNS_PAGE = 5_000;
/** Each can have 20 KB. */
const WAITING_PAGE = 100;
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
    const suppressions = await this.database.query<{ item: string }>(SUPPRESSIONS, [...values]);
    const waiting = await begun(waitingPages(this.database, values));
    const emails = await begun(emailPieces(this.database, [...values, contact?.id ?? null]));
    if (!contact && suppressions.length === 0 && waiting.isEmpty && emails.isEmpty) throw new ContactNotFoundError();
    const target = { kind: 'contact', id: await personHash(this.database, organizationId, key) } as const;
    await AuditLog.record(this.database, { ...author, action: 'contact.exported', target });
    yield '{"contact":';
    if (contact) yield* this.contact(contact);
    else yield 'null';
    yield `,"suppressions":[${suppressions.map(({ item }) => item).join()}],"broadcasts":[`;
    yield* joined(waiting.pages);
    yield '],"emails":[';
    yield* emails.pages;
    yield '],"events":[';
    if (contact) yield* this.events(contact.id);
    yield ']}\n';
  }

  private async *contact({ id, item }: { readonly id: string; readonly item: string }): AsyncGenerator<string> {
    yield `${item.slice(0, -1)},"campaigns":[`;
    yield* joined(itemPages(this.database, CAMPAIGNS_OF_CONTACT, [id], CAMPAIGNS_PAGE));
    yield ']}';
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

/** Pages of JSON items, joined by commas. */
async function* waitingPages(sql: Sql, person: readonly [organizationId: string, key: string]): AsyncGenerator<string> {
  for await (const ids of idPages(sql, BROADCASTS_OF_PERSON, person, WAITING_PAGE)) {
    const rows = await sql.query<{ item: string }>(WAITING, [ids, person[1]]);
    // Meanwhile, some may have got their emails.
    if (rows.length > 0) yield rows.map(({ item }) => item).join();
  }
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

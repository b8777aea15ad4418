import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { SingleEvent } from '../engagement-event.js';
import type { VerdictCode } from '../verdict.js';
import type { KnownEmail } from './lock-emails.js';

/** For rows in the text format of COPY (PostgreSQL manual, COPY, File Formats). */
export const COPY_EVENTS = `
copy events (ordinal, contact_id, id, occurred_at, type, email_id, verdict, link_position, url) from stdin`;

const NULL = '\\N';
/** Characters that would end a value or a row, or start an escape. */
const SPECIAL = /[\\\n\r\t]/g;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Characters per chunk: small enough that the strings are garbage before they are promoted to the old generation. */
const CHUNK_LENGTH = 32_768;

export interface EventOfEmail {
  readonly event: SingleEvent;
  readonly email: KnownEmail;
  /** The verdict of an open or a click: from the edge, until the rules of time and order have changed it. */
  verdict: VerdictCode;
}

/** One row per contact of each event's email, in chunks. Only the first row has the URL, which can be long. */
export function* rowsOf(events: Iterable<EventOfEmail>): Iterable<Buffer> {
  let chunk = '';
  for (const event of events) {
    chunk += rowsOfEvent(event);
    if (chunk.length < CHUNK_LENGTH) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

function rowsOfEvent({ event, email: { id: emailId, contactIds }, verdict }: EventOfEmail): string {
  const isClick = event.type === 'clicked';
  const content = `${event.id}\t${occurredAt(event)}\t${event.type}\t${emailId}\t${verdict}\t${isClick ? event.linkPosition : NULL}`;
  let rows = `1\t${contactIds[0]}\t${content}\t${isClick ? escaped(event.url) : NULL}\n`;
  for (let ordinal = 2; ordinal <= contactIds.length; ordinal++) {
    rows += `${ordinal}\t${contactIds[ordinal - 1]}\t${content}\t${NULL}\n`;
  }
  return rows;
}

function escaped(text: string): string {
  return text.replace(SPECIAL, (character) => escapes[character]!);
}

let time = '';
let timeOf = '';

/**
 * ISO 8601 without the sign before five-digit years, which Postgres does not parse. Cached per millisecond, the first
 * 13 characters of a UUIDv7.
 */
function occurredAt({ id }: SingleEvent): string {
  const milliseconds = id.slice(0, 13);
  if (milliseconds !== timeOf) {
    time = new Date(timeOfUuidV7(id)).toISOString().replace('+0', '');
    timeOf = milliseconds;
  }
  return time;
}

import type { Sql } from '../../platform/database/database.js';
import { isSuppressed } from '../../suppressions/suppression-check.sql.js';
import { BroadcastNotFoundError, RecipientsClosedError } from '../broadcast-errors.js';
import type { BroadcastStatus } from '../broadcast-status.js';
import { recipientBytes, type NewRecipient } from './new-recipient.js';

/** What happened to the valid recipients of a batch. */
export interface AddedRecipients {
  readonly added: number;
  /** Recipients whose address the broadcast already has. */
  readonly repeated: number;
  readonly suppressed: number;
  /** Bytes that those use which are stored now. */
  readonly bytes: number;
}

interface Row {
  status: BroadcastStatus;
  stored: number;
  suppressed: number;
  /** If some are not stored, the list of the keys that are. */
  keys: string | null;
}

/**
 * Separates the values of a list that is passed as one text; an empty value means null. No address and no JSON contains
 * this character, so nothing has to be escaped; in an array, each quote of the JSON would be.
 */
const SEPARATOR = '\x1e';

const list = (parameter: string): string => `string_to_array(${parameter}::text, chr(30), '')`;

/**
 * Locks the broadcast, so that batches get their positions one after another, none is added after the broadcast has
 * begun, and none belongs to a broadcast that is being deleted: a foreign key would check that again for each row,
 * which cost a third of the Postgres time. Suppressed recipients are stored without a position: their address counts as
 * known, and no email is created for them. $1 broadcast, $2 organization, $3 to $6 lists of keys, mailboxes, variables
 * and metadata.
 */
const ADD = `
with broadcast as (
  select id, status, last_place from broadcasts where id = $1::uuid and organization_id = $2::uuid for no key update
),
batch as (
  select t.*, ${isSuppressed('$2::uuid', 't.key')} as is_suppressed
    from unnest(${list('$3')}, ${list('$4')}, ${list('$5')}, ${list('$6')}) with ordinality
      as t (key, address, variables, metadata, n)
),
stored as (
  insert into broadcast_recipients (broadcast_id, address_key, address, place, variables, metadata)
  select b.id, t.key, t.address, case when not is_suppressed then b.last_place + t.n end,
         t.variables::jsonb, t.metadata::jsonb
    from broadcast b, batch t where b.status in ('draft', 'scheduled') order by t.n
  on conflict do nothing
  returning place, address_key
),
counted as (
  select count(*)::integer as stored, count(*) filter (where place is null)::integer as suppressed from stored
),
changed as (
  update broadcasts b
     set last_place = b.last_place + cardinality(${list('$3')}), recipients = b.recipients + counted.stored,
         suppressed = b.suppressed + counted.suppressed
    from counted where b.id = $1::uuid and counted.stored > 0
)
select broadcast.status, counted.stored, counted.suppressed,
       case when counted.stored < cardinality(${list('$3')})
         then (select string_agg(address_key, chr(30)) from stored) end as keys
  from broadcast, counted`;

/**
 * Adds recipients to a broadcast that has not begun. An address counts once: the first entry stays.
 * @throws BroadcastNotFoundError, RecipientsClosedError
 */
export async function addRecipients(
  sql: Sql,
  organizationId: string,
  broadcastId: string,
  recipients: readonly NewRecipient[],
): Promise<AddedRecipients> {
  const [row] = await sql.prepared<Row>('add-recipients', ADD, [
    broadcastId,
    organizationId,
    recipients.map(({ key }) => key).join(SEPARATOR),
    recipients.map(({ address }) => address).join(SEPARATOR),
    recipients.map(({ variables }) => variables).join(SEPARATOR),
    recipients.map(({ metadata }) => metadata).join(SEPARATOR),
  ]);
  if (!row) throw new BroadcastNotFoundError();
  const { status, stored, suppressed, keys } = row;
  if (status !== 'draft' && status !== 'scheduled') throw new RecipientsClosedError(status);
  const bytes = bytesOf(stored === recipients.length ? recipients : storedOnes(recipients, keys));
  return { added: stored - suppressed, repeated: recipients.length - stored, suppressed, bytes };
}

/** Of equal addresses in one batch, the first is stored. */
function storedOnes(recipients: readonly NewRecipient[], keys: string | null): NewRecipient[] {
  const stored = new Set(keys?.split(SEPARATOR));
  return recipients.filter(({ key }) => stored.delete(key));
}

function bytesOf(recipients: readonly NewRecipient[]): number {
  return recipients.reduce((bytes, recipient) => bytes + recipientBytes(recipient), 0);
}

import { Injectable } from '@nestjs/common';
import { Budgets, type BudgetOwner } from '../../organizations/budgets/budgets.js';
import { Database } from '../../platform/database/database.js';
import { UnreadableAttachmentError } from '../../providers/provider.js';
import type { NewAttachment, StoredAttachment } from './attachment.js';
import { STATEMENT_BYTES } from '../../platform/database/up-to-bytes.sql.js';
import { portionsOf } from '../../platform/memory/portions.js';
import { IS_UNUSED } from './unused-contents.sql.js';

/** Bytes per slice of a content. A multiple of 3, so that slices can be encoded one by one. */
const SLICE_BYTES = 384 * 1024;
const DELETE_BATCH = 100;

/** $1 organization, $2 digests. */
const USE_KNOWN = `
with used as (
  select organization_id, sha256 from attachment_contents
   where organization_id = $1 and sha256 in (select decode(hex, 'hex') from unnest($2::text[]) as t (hex))
   order by sha256 for no key update
)
update attachment_contents c set used_at = now() from used
 where c.organization_id = used.organization_id and c.sha256 = used.sha256
returning encode(c.sha256, 'hex') as sha256`;

/** $1 organization, $2 digest, $3 bytes. */
const INSERT = `
insert into attachment_contents (organization_id, sha256, bytes) values ($1, decode($2, 'hex'), $3)
on conflict (organization_id, sha256) do update set used_at = excluded.used_at`;

/** The contents of attachments, each stored once per organization, under its digest. */
@Injectable()
export class AttachmentContents {
  constructor(
    private readonly database: Database,
    private readonly budgets: Budgets,
  ) {}

  /**
   * Stores contents that are not known yet. Runs before the email is stored, which refers to them; contents without an
   * email are deleted later. Locks known ones against their deletion, but not against emails that refer to them.
   * @throws BudgetExceededError
   */
  async store(owner: BudgetOwner, attachments: readonly NewAttachment[]): Promise<void> {
    if (attachments.length === 0) return;
    const { organizationId } = owner;
    const digests = attachments.map(({ sha256 }) => sha256);
    const known = await this.database.inTurn(organizationId, () =>
      this.database.query<{ sha256: string }>(USE_KNOWN, [organizationId, digests]),
    );
    const stored = new Set(known.map(({ sha256 }) => sha256));
    const fresh = attachments.filter(({ sha256 }) => !stored.has(sha256) && stored.add(sha256));
    const size = fresh.reduce((sum, { bytes }) => sum + bytes.length, 0);
    await this.budgets.spendBytes(owner, size, () => this.insert(organizationId, fresh));
  }

  private async insert(organizationId: string, attachments: readonly NewAttachment[]): Promise<void> {
    for (const { sha256, bytes } of attachments) {
      // One at a time: the driver holds a second copy of the bytes.
      await this.database.inTurn(organizationId, () => this.database.query(INSERT, [organizationId, sha256, bytes]));
    }
  }

  /** Deletes contents that no email has, and no broadcast that can still create emails. */
  async deleteUnused(): Promise<void> {
    for (;;) {
      const unused = await this.database.query<UnusedContent>(
        `select organization_id as "organizationId", encode(sha256, 'hex') as sha256, octet_length(bytes) as size
           from attachment_contents c where ${IS_UNUSED} limit ${DELETE_BATCH}`,
      );
      let deleted = 0;
      for (const contents of portionsOf(unused, STATEMENT_BYTES, ({ size }) => size))
        deleted += await this.deleteIfUnused(contents);
      if (deleted < DELETE_BATCH) return;
    }
  }

  private async deleteIfUnused(contents: readonly UnusedContent[]): Promise<number> {
    const deleted = await this.database.query(
      `delete from attachment_contents where (organization_id, sha256) in (
         select c.organization_id, c.sha256
           from attachment_contents c join unnest($1::uuid[], $2::text[]) as d (organization_id, hex)
             on c.organization_id = d.organization_id and c.sha256 = decode(d.hex, 'hex')
          where ${IS_UNUSED} for update of c skip locked)
       returning 1 as deleted`,
      [contents.map(({ organizationId }) => organizationId), contents.map(({ sha256 }) => sha256)],
    );
    return deleted.length;
  }
}

interface UnusedContent extends Record<string, unknown> {
  readonly organizationId: string;
  readonly sha256: string;
  readonly size: number;
}

/** Reads a content slice by slice. @throws UnreadableAttachmentError */
export async function* readContent(
  database: Database,
  organizationId: string,
  { sha256, size }: Pick<StoredAttachment, 'sha256' | 'size'>,
): AsyncGenerator<Buffer> {
  for (let from = 0; from < size; from += SLICE_BYTES) {
    const rows = await database
      .prepared<{ slice: Buffer }>(
        'read-attachment',
        `select substr(bytes, $3::integer, ${SLICE_BYTES}) as slice from attachment_contents
          where organization_id = $1 and sha256 = decode($2, 'hex')`,
        [organizationId, sha256, from + 1],
      )
      .catch((cause: unknown) => Promise.reject(new UnreadableAttachmentError({ cause })));
    const slice = rows[0]?.slice;
    if (slice?.length !== Math.min(SLICE_BYTES, size - from)) throw new UnreadableAttachmentError();
    yield slice;
  }
}

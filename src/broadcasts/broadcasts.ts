import { Injectable } from '@nestjs/common';
import { readCampaignStats } from '../campaigns/campaign-stats.js';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { Database, type Sql } from '../platform/database/database.js';
import { pageByName } from '../platform/http/page-by-name.js';
import { toPage, type Page, type PageRequest } from '../platform/http/paging.js';
import { BroadcastNotFoundError } from './broadcast-errors.js';
import {
  BROADCAST_COLUMNS,
  toBroadcastView,
  type BroadcastDetail,
  type BroadcastRow,
  type BroadcastView,
} from './broadcast-view.js';

/** $1 organization, $2 last ID of the page before, $3 rows, $4 null or the only IDs. */
const LIST = `
select ${BROADCAST_COLUMNS} from broadcasts b join messages m on m.id = b.message_id
 where b.organization_id = $1 and ($2::uuid is null or b.id < $2) and ($4::uuid[] is null or b.id = any($4))
 order by b.id desc limit $3`;

/** Reads broadcasts. */
@Injectable()
export class Broadcasts {
  constructor(private readonly database: Database) {}

  /** @throws BroadcastNotFoundError */
  async get(organizationId: string, id: string): Promise<BroadcastDetail> {
    return this.database.snapshotOf(organizationId, (sql) => readBroadcastDetail(sql, organizationId, id));
  }

  /** Newest first. @param search part of the name, ignoring case; may be empty */
  async list(organizationId: string, search: string, page: PageRequest): Promise<Page<BroadcastView>> {
    const names = { table: 'broadcasts', organizationId, search } as const;
    return this.database.inReadTurn(organizationId, () =>
      pageByName(this.database, names, page, async (ids) => {
        const values = [organizationId, page.after?.[0] ?? null, page.limit + 1, ids];
        const rows = await this.database.query<BroadcastRow>(LIST, values);
        return toPage(rows, page.limit, toBroadcastView, (row) => [row.id]);
      }),
    );
  }
}

/** @throws BroadcastNotFoundError */
export async function readBroadcastDetail(sql: Sql, organizationId: string, id: string): Promise<BroadcastDetail> {
  const [row] = isUuid(id)
    ? await sql.query<BroadcastRow>(
        `select ${BROADCAST_COLUMNS} from broadcasts b join messages m on m.id = b.message_id
          where b.organization_id = $1 and b.id = $2`,
        [organizationId, id],
      )
    : [];
  if (!row) throw new BroadcastNotFoundError();
  const stats = row.campaign_id === null ? null : await readCampaignStats(sql, row.campaign_id);
  return { ...toBroadcastView(row), stats };
}

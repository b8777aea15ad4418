import { Inject, Injectable } from '@nestjs/common';
import { readCampaignStats } from '../campaigns/campaign-stats.js';
import { Campaigns } from '../campaigns/campaigns.js';
import { readMailbox } from '../emails/accept/recipients.js';
import { domainOf, formatMailbox } from '../emails/mailbox.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { authorOf, type Author } from '../organizations/audit/record-audit.js';
import { recordBroadcast } from './record-broadcast.js';
import { Budgets } from '../organizations/budgets/budgets.js';
import { requireSenderDomain } from '../organizations/key-limits.js';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { isUuid, uuidV7 } from '../platform/clock/uuid-v7.js';
import { Database } from '../platform/database/database.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { toPage, type Page, type PageRequest } from '../platform/http/paging.js';
import { BroadcastNotFoundError, BroadcastStatusError } from './broadcast-errors.js';
import { BroadcastMessages } from './broadcast-messages.js';
import { readSendAt } from '../emails/schedule/send-at.js';
import type { CreateBroadcastRequest } from './broadcast-requests.js';
import type { BroadcastStatus } from './broadcast-status.js';
import {
  BROADCAST_COLUMNS,
  toBroadcastView,
  type BroadcastDetail,
  type BroadcastRow,
  type BroadcastView,
} from './broadcast-view.js';

/** Creates, reads and deletes broadcasts. */
@Injectable()
export class Broadcasts {
  constructor(
    private readonly database: Database,
    private readonly messages: BroadcastMessages,
    private readonly campaigns: Campaigns,
    private readonly budgets: Budgets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws InvalidFieldError, TooManyRenderingsError, ForbiddenSenderError, CampaignArchivedError, CampaignLimitError, BudgetExceededError */
  async create(caller: Caller, request: CreateBroadcastRequest): Promise<BroadcastDetail> {
    const name = request.name.trim();
    if (name === '') throw new InvalidFieldError('name', 'must not be empty');
    const sender = readMailbox('from', request.from);
    requireSenderDomain(caller, domainOf(sender.address));
    const from = formatMailbox(sender);
    const replyTo = request.replyTo === undefined ? null : formatMailbox(readMailbox('replyTo', request.replyTo));
    const now = this.clock.now();
    const sendAt = request.sendAt === undefined ? undefined : readSendAt(request.sendAt, now);
    const { subject, html, text } = await this.messages.read(caller, request);
    const { campaignId: campaign, tags = [] } = request;
    const campaignId = campaign === undefined ? null : await this.campaigns.findOrCreate(caller, campaign);
    const id = uuidV7(now);
    const bytes = Buffer.byteLength((html ?? '') + (text ?? ''));
    await this.budgets.spend(caller, 'storedBytes', bytes, () =>
      this.database.transaction(async (sql) => {
        await sql.query(
          `with message as (
         insert into messages (id, organization_id, subject, html, text, created_at)
         values ($1, $2, $3, $4, $5, $6) returning id
       )
       insert into broadcasts (id, organization_id, campaign_id, message_id, name, sender, reply_to, pace, send_at, tags,
                               created_at)
       select $7, $2, $8, message.id, $9, $10, $11, $12, $13, $14, $6 from message`,
          [
            ...[uuidV7(now), caller.organizationId, subject, html, text, new Date(now)],
            ...[id, campaignId, name, from, replyTo, request.pace ?? null, sendAt ?? null],
            tags.length > 0 ? [...new Set(tags)] : null,
          ],
        );
        await recordBroadcast(sql, authorOf(caller), 'broadcast.created', id);
      }),
    );
    return this.get(caller.organizationId, id);
  }

  /** @throws BroadcastNotFoundError */
  async get(organizationId: string, id: string): Promise<BroadcastDetail> {
    return this.database.snapshot(async (sql) => {
      const rows = isUuid(id)
        ? await sql.query<BroadcastRow>(
            `select ${BROADCAST_COLUMNS} from broadcasts b join messages m on m.id = b.message_id
              where b.organization_id = $1 and b.id = $2`,
            [organizationId, id],
          )
        : [];
      if (!rows[0]) throw new BroadcastNotFoundError();
      const { campaign_id } = rows[0];
      const stats = campaign_id === null ? null : await readCampaignStats(sql, campaign_id);
      return { ...toBroadcastView(rows[0]), stats };
    });
  }

  /** Newest first. */
  async list(organizationId: string, page: PageRequest): Promise<Page<BroadcastView>> {
    const rows = await this.database.query<BroadcastRow>(
      `select ${BROADCAST_COLUMNS} from broadcasts b join messages m on m.id = b.message_id
        where b.organization_id = $1 and ($2::uuid is null or b.id < $2)
        order by b.id desc limit $3`,
      [organizationId, page.after?.[0] ?? null, page.limit + 1],
    );
    return toPage(rows, page.limit, toBroadcastView, (row) => [row.id]);
  }

  /** Deletes a draft with its recipients. @throws BroadcastNotFoundError, BroadcastStatusError */
  async delete(author: Author, id: string): Promise<void> {
    if (!isUuid(id)) throw new BroadcastNotFoundError();
    await this.database.transaction(async (sql) => {
      const [broadcast] = await sql.query<{ status: BroadcastStatus; message_id: string }>(
        'select status, message_id from broadcasts where organization_id = $1 and id = $2 for update',
        [author.organizationId, id],
      );
      if (!broadcast) throw new BroadcastNotFoundError();
      if (broadcast.status !== 'draft') throw new BroadcastStatusError('deleted', broadcast.status);
      await sql.query('delete from broadcasts where id = $1', [id]);
      await sql.query('delete from messages where id = $1', [broadcast.message_id]);
      await recordBroadcast(sql, author, 'broadcast.deleted', id);
    });
  }
}

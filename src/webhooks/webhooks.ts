import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { isUuid, uuidV7 } from '../platform/clock/uuid-v7.js';
import { Database, type Sql } from '../platform/database/database.js';
import { ItemBudgets } from '../organizations/budgets/item-budgets.js';
import { SecretBox } from '../platform/encryption/secret-box.js';
import { recordWebhook } from './record-webhook.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { authorOf, type Author } from '../organizations/audit/record-audit.js';
import { lockOrganization } from '../organizations/lock-organization.js';
import { toPage, type Page, type PageRequest } from '../platform/http/paging.js';
import { MAX_WEBHOOKS } from './webhook-limits.js';
import { WebhookLimitError, WebhookNotFoundError, WebhookRotationError } from './webhook-errors.js';
import { generateSecret, sealAsPrevious } from './webhook-secrets.js';
import { WebhookTargets } from './webhook-url.js';
import {
  toWebhookView,
  WEBHOOK_COLUMNS,
  type NewWebhook,
  type WebhookChanges,
  type WebhookRow,
  type WebhookView,
  type WebhookWithSecret,
} from './webhook-view.js';

/** How long the previous secret also signs after a rotation. */
const PREVIOUS_SECRET = `interval '24 hours'`;

/** The webhooks of an organization. */
@Injectable()
export class Webhooks {
  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
    private readonly targets: WebhookTargets,
    private readonly budgets: ItemBudgets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws InvalidFieldError when the URL is not allowed, WebhookLimitError, BudgetExceededError */
  async create(caller: Caller, { url, events, people }: NewWebhook): Promise<WebhookWithSecret> {
    const { organizationId } = caller;
    const target = await this.targets.check(caller, url);
    const id = uuidV7(this.clock.now());
    const secret = generateSecret(this.box, id);
    return this.database.transactionOf(organizationId, async (sql) => {
      const webhooks = await requireRoom(sql, organizationId);
      await this.budgets.add(sql, organizationId, 'webhooks', webhooks);
      const [row] = await sql.query<WebhookRow>(
        `insert into webhook_endpoints (id, organization_id, url, events, sealed_secret, people)
         values ($1, $2, $3, $4, $5, $6)
         returning ${WEBHOOK_COLUMNS}`,
        [id, organizationId, target, [...new Set(events)], secret.sealed, people],
      );
      await recordWebhook(sql, authorOf(caller), 'webhook.created', id);
      return { ...toWebhookView(row!), secret: secret.shown };
    });
  }

  async list(organizationId: string, page: PageRequest): Promise<Page<WebhookView>> {
    const rows = await this.database.query<WebhookRow>(
      `select ${WEBHOOK_COLUMNS} from webhook_endpoints
        where organization_id = $1 and deleted_at is null and ($2::uuid is null or id < $2)
        order by id desc limit $3`,
      [organizationId, page.after?.[0] ?? null, page.limit + 1],
    );
    return toPage(rows, page.limit, toWebhookView, (row) => [row.id]);
  }

  /** @throws WebhookNotFoundError */
  async get(organizationId: string, id: string): Promise<WebhookView> {
    if (!isUuid(id)) throw new WebhookNotFoundError();
    const [row] = await this.database.query<WebhookRow>(
      `select ${WEBHOOK_COLUMNS} from webhook_endpoints
        where organization_id = $1 and id = $2 and deleted_at is null`,
      [organizationId, id],
    );
    return viewOf(row);
  }

  /**
   * Enabling the webhook or changing its URL resets its failures and its pause, so waiting deliveries follow their
   * own schedule again.
   * @throws WebhookNotFoundError, InvalidFieldError
   */
  async change(caller: Caller, id: string, changes: WebhookChanges): Promise<WebhookView> {
    const { url, events, enabled, people } = changes;
    const { organizationId } = caller;
    await this.get(organizationId, id);
    const target = url === undefined ? null : await this.targets.check(caller, url);
    const resetsFailures = url !== undefined || enabled === true;
    return this.database.transactionOf(organizationId, async (sql) => {
      const [row] = await sql.query<WebhookRow>(
        `update webhook_endpoints
          set url = coalesce($3, url), events = coalesce($4, events), enabled = coalesce($5, enabled),
              people = coalesce($7, people),
              disabled_at = case when $5 then null when not $5 and enabled then now() else disabled_at end,
              disabled_reason = case when $5 then null when not $5 and enabled then 'requested' else disabled_reason end,
              failures = case when $6 then 0 else failures end,
              failing_since = case when $6 then null else failing_since end,
              paused_until = case when $6 then null else paused_until end,
              asked_until = case when $6 then null else asked_until end
        where organization_id = $1 and id = $2 and deleted_at is null
        returning ${WEBHOOK_COLUMNS}`,
        [
          organizationId,
          id,
          target,
          events ? [...new Set(events)] : null,
          enabled ?? null,
          resetsFailures,
          people ?? null,
        ],
      );
      const changed = viewOf(row);
      await recordWebhook(sql, authorOf(caller), 'webhook.changed', id, {
        fields: Object.keys(changes).filter((name) => changes[name as keyof WebhookChanges] !== undefined),
        ...(enabled !== undefined && { enabled }),
      });
      return changed;
    });
  }

  /**
   * Stops all attempts and erases the secrets immediately. A background job removes the rows.
   * @throws WebhookNotFoundError
   */
  async remove(author: Author, id: string): Promise<void> {
    if (!isUuid(id)) throw new WebhookNotFoundError();
    await this.database.transactionOf(author.organizationId, async (sql) => {
      const [row] = await sql.query<WebhookRow>(
        `update webhook_endpoints
          set deleted_at = now(), enabled = false, sealed_secret = null, sealed_previous_secret = null
        where organization_id = $1 and id = $2 and deleted_at is null
        returning ${WEBHOOK_COLUMNS}`,
        [author.organizationId, id],
      );
      viewOf(row);
      await recordWebhook(sql, author, 'webhook.deleted', id);
    });
  }

  /**
   * Creates a new secret. The previous one, if any, also signs for a day.
   * @throws WebhookNotFoundError, WebhookRotationError during that day
   */
  async rotateSecret(author: Author, id: string): Promise<WebhookWithSecret> {
    if (!isUuid(id)) throw new WebhookNotFoundError();
    return this.database.transactionOf(author.organizationId, async (sql) => {
      const [row] = await sql.query<WebhookRow & { sealed_secret: string | null; rotating_until: Date | null }>(
        `select ${WEBHOOK_COLUMNS}, sealed_secret,
                case when previous_secret_until > now() then previous_secret_until end as rotating_until
           from webhook_endpoints
          where organization_id = $1 and id = $2 and deleted_at is null for no key update`,
        [author.organizationId, id],
      );
      if (!row) throw new WebhookNotFoundError();
      if (row.rotating_until) throw new WebhookRotationError(row.rotating_until);
      const secret = generateSecret(this.box, row.id);
      const previous = row.sealed_secret === null ? null : sealAsPrevious(this.box, row.id, row.sealed_secret);
      await sql.query(
        `update webhook_endpoints
            set sealed_secret = $2, sealed_previous_secret = $3,
                previous_secret_until = case when $3::text is not null then now() + ${PREVIOUS_SECRET} end
          where id = $1`,
        [row.id, secret.sealed, previous],
      );
      await recordWebhook(sql, author, 'webhook.secret-rotated', id);
      return { ...toWebhookView(row), secret: secret.shown };
    });
  }
}

/** @returns how many webhooks there are */
async function requireRoom(sql: Sql, organizationId: string): Promise<number> {
  await lockOrganization(sql, organizationId);
  const [row] = await sql.query<{ count: number }>(
    'select count(*)::int as count from webhook_endpoints where organization_id = $1 and deleted_at is null',
    [organizationId],
  );
  if (row!.count >= MAX_WEBHOOKS) throw new WebhookLimitError(MAX_WEBHOOKS);
  return row!.count;
}

function viewOf(row: WebhookRow | undefined): WebhookView {
  if (!row) throw new WebhookNotFoundError();
  return toWebhookView(row);
}

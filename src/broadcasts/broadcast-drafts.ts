import { Inject, Injectable } from '@nestjs/common';
import { Campaigns } from '../campaigns/campaigns.js';
import { readMailbox } from '../emails/accept/recipients.js';
import { AttachmentContents } from '../emails/attachments/attachment-contents.js';
import { domainOf, formatMailbox } from '../emails/mailbox.js';
import { readSendAt } from '../emails/schedule/send-at.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { authorOf, type Author } from '../organizations/audit/record-audit.js';
import { Budgets } from '../organizations/budgets/budgets.js';
import { requireSenderDomain } from '../organizations/key-limits.js';
import type { Clock } from '../platform/clock/clock.js';
import { uuidV7 } from '../platform/clock/uuid-v7.js';
import { Database, type Sql } from '../platform/database/database.js';
import { POSTGRES_CLOCK } from '../platform/database/postgres-clock.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { DraftChangedError } from './broadcast-errors.js';
import { BroadcastMessages, type DraftMessage } from './broadcast-messages.js';
import type { DecodedBroadcast } from './broadcast-requests.js';
import type { BroadcastDetail } from './broadcast-view.js';
import { readBroadcastDetail } from './broadcasts.js';
import { hasContent, messageColumns, type DraftContent } from './draft-content.js';
import { INSERT_DRAFT, INSERT_MESSAGE, REPLACE_DRAFT } from './draft-statements.js';
import { DELETED_RECIPIENTS, deleteRecipients } from './recipients/delete-recipients.js';
import { lockDraft } from './lock-draft.js';
import { recordBroadcast } from './record-broadcast.js';

/** $1 broadcast, $2 recipients that are deleted now, $3 how many of them were suppressed. See `lockDraft`. */
const BEGIN_DELETION = `
update broadcasts set status = 'canceled', step_at = now(), recipients = recipients - $2, suppressed = suppressed - $3
 where id = $1`;

/** Creates, changes and deletes broadcasts that have not been sent. */
@Injectable()
export class BroadcastDrafts {
  constructor(
    private readonly database: Database,
    private readonly messages: BroadcastMessages,
    private readonly contents: AttachmentContents,
    private readonly campaigns: Campaigns,
    private readonly budgets: Budgets,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @returns its ID
   * @throws InvalidFieldError, TooManyRenderingsError, ForbiddenSenderError, CampaignArchivedError, CampaignLimitError,
   * BudgetExceededError
   */
  async create(caller: Caller, request: DecodedBroadcast): Promise<string> {
    const { organizationId } = caller;
    const content = await this.read(caller, request);
    const id = uuidV7(this.clock.now());
    await this.storing(caller, content, async (sql, campaignId) => {
      const messageId = await this.addMessage(sql, organizationId, content.message);
      const createdAt = new Date(this.clock.now());
      await INSERT_DRAFT.run(sql, { id, organizationId, messageId, createdAt, campaignId, ...content.columns });
      await recordBroadcast(sql, authorOf(caller), 'broadcast.created', id);
    });
    return id;
  }

  /**
   * Replaces everything except the recipients; keeps the attachments if the request has none. A change of an older
   * version is refused, unless the draft has this content already: then it is the repetition of a request whose
   * response was lost.
   * @param version the version that the request changes; undefined for any
   * @returns the draft as this change left it
   * @throws BroadcastNotFoundError, BroadcastStatusError, DraftChangedError, and as `create`
   */
  async change(
    caller: Caller,
    id: string,
    request: DecodedBroadcast,
    version: string | undefined,
  ): Promise<BroadcastDetail> {
    const { organizationId } = caller;
    await this.database.inTurn(organizationId, () => lockDraft(this.database, organizationId, id, 'changed'));
    const content = await this.read(caller, request);
    const known = version === undefined ? undefined : await this.knownChange(caller, id, content, version);
    if (known) return known;
    return this.storing(caller, content, async (sql, campaignId) => {
      const current = await lockDraft(sql, organizationId, id, 'changed');
      if (version === undefined || version === current)
        await this.replace(sql, caller, { id, current, campaignId }, content);
      else if (!(await hasContent(sql, { id, campaignId }, content))) throw new DraftChangedError();
      // Once the lock is released, this could be the change of another request.
      return readBroadcastDetail(sql, organizationId, id);
    });
  }

  /**
   * Before anything is stored: a refused change leaves nothing.
   * @returns the draft if an older version was changed to this content; undefined if the draft has this version
   * @throws DraftChangedError
   */
  private async knownChange(
    caller: Caller,
    id: string,
    content: DraftContent,
    version: string,
  ): Promise<BroadcastDetail | undefined> {
    const { organizationId } = caller;
    const { campaign } = content;
    const campaignId = campaign === undefined ? null : await this.campaigns.findUsable(caller, campaign);
    return this.database.transactionOf(organizationId, async (sql) => {
      if ((await lockDraft(sql, organizationId, id, 'changed')) === version) return undefined;
      if (campaignId === undefined || !(await hasContent(sql, { id, campaignId }, content)))
        throw new DraftChangedError();
      return readBroadcastDetail(sql, organizationId, id);
    });
  }

  /**
   * Deletes a draft with its recipients, in several transactions if it has many. From the first one on it cannot
   * be sent: it would go to the recipients that are left. One whose deletion broke off stays canceled until it
   * is deleted again.
   * @throws BroadcastNotFoundError, BroadcastStatusError
   */
  async delete(author: Author, id: string): Promise<void> {
    let isDeleted = false;
    while (!isDeleted)
      isDeleted = await this.database.transactionOf(author.organizationId, (sql) => deleteBatch(sql, author, id));
  }

  /** Checks all fields, and stores nothing: a later check may refuse the request. */
  private async read(caller: Caller, request: DecodedBroadcast): Promise<DraftContent> {
    const name = request.name.trim();
    if (name === '') throw new InvalidFieldError('name', 'must not be empty');
    const sender = readMailbox('from', request.from);
    requireSenderDomain(caller, domainOf(sender.address));
    const replyTo = request.replyTo === undefined ? null : formatMailbox(readMailbox('replyTo', request.replyTo));
    const sendAt = request.sendAt === undefined ? undefined : readSendAt(request.sendAt, this.clock.now());
    const message = await this.messages.read(caller, request);
    const { campaignId: campaign, tags = [], pace } = request;
    if (campaign !== undefined) await this.campaigns.findUsable(caller, campaign);
    const kept = tags.length > 0 ? [...new Set(tags)] : null;
    const columns = { name, sender: formatMailbox(sender), replyTo, pace: pace ?? null, sendAt: sendAt ?? null };
    return { message, campaign, columns: { ...columns, tags: kept } };
  }

  private async replace(
    sql: Sql,
    caller: Caller,
    { id, current, campaignId }: { readonly id: string; readonly current: string; readonly campaignId: string | null },
    { message, columns }: DraftContent,
  ): Promise<void> {
    // Workers cache messages by ID, so a changed message gets a new ID.
    const messageId = await this.addMessage(sql, caller.organizationId, message, current);
    await REPLACE_DRAFT.run(sql, { id, messageId, campaignId, ...columns });
    await sql.query('delete from messages where id = $1', [current]);
    await recordBroadcast(sql, authorOf(caller), 'broadcast.changed', id);
  }

  /** Stores the attachments once the budget allows the message, and the campaign together with the draft. */
  private storing<Result>(
    caller: Caller,
    { message, campaign }: DraftContent,
    work: (sql: Sql, campaignId: string | null) => Promise<Result>,
  ): Promise<Result> {
    const { subject, html, text } = message.source;
    const headers = message.headers ? JSON.stringify(message.headers) : '';
    const bytes = Buffer.byteLength([subject, headers, html, text, message.mjml].join(''));
    return this.budgets.spendBytes(caller, bytes, async () => {
      await this.contents.store(caller, message.attachments ?? []);
      return this.database.transactionOf(caller.organizationId, async (sql) => {
        const isNamed = campaign !== undefined;
        return work(sql, isNamed ? await this.campaigns.findOrCreateWithin(sql, caller, campaign) : null);
      });
    });
  }

  /** @param replacedId the ID of the message whose attachments the draft keeps if the request has none */
  private async addMessage(
    sql: Sql,
    organizationId: string,
    message: DraftMessage,
    replacedId: string | null = null,
  ): Promise<string> {
    const createdAt = new Date(this.clock.now());
    const id = uuidV7(createdAt.getTime());
    await INSERT_MESSAGE.run(sql, { id, organizationId, createdAt, replacedId, ...messageColumns(message) });
    return id;
  }
}

/** @returns false when recipients may be left */
async function deleteBatch(sql: Sql, author: Author, id: string): Promise<boolean> {
  const messageId = await lockDraft(sql, author.organizationId, id, 'deleted');
  const { deleted, suppressed } = await deleteRecipients(sql, id);
  if (deleted === DELETED_RECIPIENTS) {
    await sql.query(BEGIN_DELETION, [id, deleted, suppressed]);
    return false;
  }
  await sql.query('delete from broadcasts where id = $1', [id]);
  await sql.query('delete from messages where id = $1', [messageId]);
  await recordBroadcast(sql, author, 'broadcast.deleted', id);
  return true;
}

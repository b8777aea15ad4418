import { Injectable } from '@nestjs/common';
import { CampaignArchivedError } from '../../../campaigns/campaign-errors.js';
import type { LiveReport } from '../../../events/live/live-message.js';
import { LivePublisher } from '../../../events/live/live-publisher.js';
import type { SuppressionReason } from '../../../events/recipient-event.js';
import { Database, type Sql } from '../../../platform/database/database.js';
import type { DomainError } from '../../../platform/errors/domain-error.js';
import { WorkNotifier } from '../../../platform/queue/work-notifications.js';
import type { IdempotentRequest } from '../../idempotency/idempotent-request.js';
import { addressKey } from '../../mailbox.js';
import { recordSuppressed } from '../../recipients/record-suppressed.js';
import type { EmailWithout, SuppressedRecipient } from '../../recipients/suppressed-recipients.js';
import { LeftOutRecipients } from '../left-out-recipients.js';
import type { NewEmail } from '../new-email.js';
import { storeEmails } from '../store-emails.js';
import { FIND_SUPPRESSED } from '../suppressed-statement.js';
import { claimBatchKey, storeBatchResponse } from './batch-keys.js';

/** An email of a batch, and the recipients that it leaves out. */
export interface BatchEmail {
  readonly email: NewEmail;
  readonly suppressed: readonly SuppressedRecipient[];
}

/** Why emails could not be stored, by their IDs. */
export type Refusals = ReadonlyMap<string, DomainError>;

/** The result for each email of a batch, and the response. */
export interface StoredBatch<Response> {
  readonly emails: readonly BatchEmail[];
  /** Nothing is stored if it throws. */
  readonly respond: (refused: Refusals) => Response;
}

/** Stores batches of emails in Postgres, the queue of record. */
@Injectable()
export class AcceptedBatches {
  constructor(
    private readonly database: Database,
    private readonly leftOut: LeftOutRecipients,
    private readonly live: LivePublisher,
    private readonly workers: WorkNotifier,
  ) {}

  /** The suppressed recipients of each email. Recipients that are suppressed later are left out by the worker. */
  async findSuppressed(organizationId: string, emails: readonly NewEmail[]): Promise<SuppressedRecipient[][]> {
    const checked = emails.flatMap(({ unsubscribe, recipients: { to, cc, bcc } }, email) =>
      [...to, ...cc, ...bcc].map(({ address }) => ({ email, address, unsubscribe })),
    );
    const values = {
      organizationId,
      keys: checked.map(({ address }) => addressKey(address)),
      unsubscribes: checked.map(({ unsubscribe }) => unsubscribe),
    };
    // For tens of thousands of addresses, this takes a good part of a second.
    const rows = await this.database.inTurn(organizationId, () =>
      FIND_SUPPRESSED.run<{ place: number; reason: SuppressionReason }>(this.database, values),
    );
    const suppressed: SuppressedRecipient[][] = emails.map(() => []);
    for (const { place, reason } of rows) {
      const { email, address } = checked[place]!;
      suppressed[email]!.push({ address, reason });
    }
    return suppressed;
  }

  /**
   * Stores all emails with the response, or nothing.
   * @throws SuspendedError when the organization was suspended in the meantime
   * @returns undefined when another request holds the key
   */
  async store<Response extends object>(
    organizationId: string,
    { emails, respond }: StoredBatch<Response>,
    idempotent: IdempotentRequest | undefined,
  ): Promise<Response | undefined> {
    const left: EmailWithout[] = [];
    let deliveries: readonly string[] = [];
    const accepted: LiveReport[] = [];
    const store = async (sql: Sql): Promise<Response | undefined> => {
      if (idempotent && !(await claimBatchKey(sql, organizationId, idempotent, emails[0]!.email.id))) return undefined;
      const outcomes = await storeEmails(sql, emails, true);
      const stored = new Set(outcomes.flatMap((outcome) => (outcome.stored ? [outcome.id] : [])));
      const refused = new Map<string, DomainError>();
      for (const { email, suppressed } of emails) {
        if (!stored.has(email.id)) {
          refused.set(email.id, new CampaignArchivedError());
          continue;
        }
        const { id: emailId, campaignId } = email;
        accepted.push({ type: 'email.accepted', organizationId, emailId, campaignId });
        left.push({ emailId, suppressed, at: email.createdAt.getTime() });
      }
      deliveries = await recordSuppressed(sql, left);
      const response = respond(refused);
      if (idempotent) await storeBatchResponse(sql, organizationId, idempotent.key, response);
      return response;
    };
    const response = await this.database.transactionOf(organizationId, store);
    if (!response) return undefined;
    this.workers.notify('emails');
    this.live.reportAll(accepted);
    await this.leftOut.report(
      left.flatMap(({ suppressed }) => suppressed),
      deliveries,
    );
    return response;
  }
}

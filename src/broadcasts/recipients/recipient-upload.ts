import { Injectable } from '@nestjs/common';
import { isUuid } from '../../platform/clock/uuid-v7.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { authorOf } from '../../organizations/audit/record-audit.js';
import { Budgets } from '../../organizations/budgets/budgets.js';
import { Database } from '../../platform/database/database.js';
import { requireBroadcastSender } from '../broadcast-sender.js';
import { BroadcastNotFoundError } from '../broadcast-errors.js';
import { recordBroadcast } from '../record-broadcast.js';
import { addRecipients, type AddedRecipients } from './add-recipients.js';
import type { ReadLine } from './recipient-lines.js';
import { recipientBytes, type NewRecipient } from './new-recipient.js';

export interface InvalidRecipient {
  /** Line of the stream, or position in the list, from 1. */
  readonly line: number;
  readonly reason: string;
}

/** Result of an upload. */
export interface UploadResult {
  /** Recipients that will get an email. */
  readonly added: number;
  /** Recipients whose address the broadcast already had. */
  readonly repeated: number;
  /** Recipients that get no email because they are suppressed. */
  readonly suppressed: number;
  /** Total number of invalid recipients. */
  readonly invalidTotal: number;
  /** The first invalid recipients. */
  readonly invalid: readonly InvalidRecipient[];
}

/**
 * Small enough that a batch holds its lock and its connection for a moment only. With 5,000, which takes as much
 * processor time, the process grew by 124 to 153 MB over 200,000 recipients, most of it garbage; with 1,000 by
 * 48 to 68.
 */
const BATCH = 1_000;
/** The process holds a batch several times over, and recipients may have 20 KB of variables and metadata. */
const BATCH_BYTES = 2 * 1024 * 1024;
const MAX_INVALID = 100;

/**
 * Stores recipients as they arrive. Each batch is a separate transaction, so the memory of an upload does not depend on
 * its length, and an upload that broke off can be repeated.
 */
@Injectable()
export class RecipientUploads {
  constructor(
    private readonly database: Database,
    private readonly budgets: Budgets,
  ) {}

  /**
   * @throws BroadcastNotFoundError, RecipientsClosedError, BudgetExceededError, ForbiddenSenderError, and
   *   what reading the lines throws
   */
  async upload(
    caller: Caller,
    broadcastId: string,
    pieces: AsyncIterable<readonly ReadLine[]> | Iterable<readonly ReadLine[]>,
  ): Promise<UploadResult> {
    if (!isUuid(broadcastId)) throw new BroadcastNotFoundError();
    await requireBroadcastSender(this.database, caller, broadcastId);
    let isRecorded = false;
    const running = new RunningUpload((batch, bytes) =>
      this.budgets.spendBytes(
        caller,
        bytes,
        async () => {
          const stored = await this.store(caller, broadcastId, batch, isRecorded);
          isRecorded ||= changes(stored);
          return stored;
        },
        (added) => added.bytes,
      ),
    );
    // Checks the broadcast before its first recipient.
    await running.store();
    await running.stored;
    try {
      for await (const lines of pieces) await running.take(lines);
      await running.store();
    } finally {
      await running.stored;
    }
    return running.result;
  }

  /** The first batch that adds recipients records the upload in the audit log. */
  private store(
    caller: Caller,
    broadcastId: string,
    batch: readonly NewRecipient[],
    isRecorded: boolean,
  ): Promise<AddedRecipients> {
    const { organizationId } = caller;
    return this.database.transactionOf(organizationId, async (sql) => {
      const stored = await addRecipients(sql, organizationId, broadcastId, batch);
      if (!isRecorded && changes(stored))
        await recordBroadcast(sql, authorOf(caller), 'broadcast.recipients-added', broadcastId);
      return stored;
    });
  }
}

function changes({ added, suppressed }: AddedRecipients): boolean {
  return added + suppressed > 0;
}

class RunningUpload {
  /** The batch that is being stored, while the next one is read. */
  stored: Promise<void> = Promise.resolve();
  private batch: NewRecipient[] = [];
  private batchBytes = 0;
  private readonly counts = { added: 0, repeated: 0, suppressed: 0, invalidTotal: 0 };
  private readonly invalid: InvalidRecipient[] = [];

  constructor(
    private readonly add: (batch: readonly NewRecipient[], bytes: number) => ReturnType<typeof addRecipients>,
  ) {}

  get result(): UploadResult {
    return { ...this.counts, invalid: this.invalid };
  }

  async take(lines: readonly ReadLine[]): Promise<void> {
    for (const { line, recipient } of lines) {
      if (typeof recipient !== 'string') {
        this.batch.push(recipient);
        this.batchBytes += recipientBytes(recipient);
      } else if (++this.counts.invalidTotal <= MAX_INVALID) this.invalid.push({ line, reason: recipient });
      if (this.batch.length >= BATCH || this.batchBytes >= BATCH_BYTES) await this.store();
    }
  }

  /** Begins to store the batch once the previous one is stored. */
  async store(): Promise<void> {
    const { batch, batchBytes } = this;
    this.batch = [];
    this.batchBytes = 0;
    await this.stored;
    this.stored = this.add(batch, batchBytes).then(({ added, repeated, suppressed }) => {
      this.counts.added += added;
      this.counts.repeated += repeated;
      this.counts.suppressed += suppressed;
    });
    // The next `await` throws the error; until then, it must not count as unhandled.
    this.stored.catch(() => undefined);
  }
}

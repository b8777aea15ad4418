import { Inject, Injectable } from '@nestjs/common';
import { isTransientDatabaseError } from '../../platform/database/transient-error.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import type { Jobs } from '../../platform/queue/jobs.js';
import { SendJobs } from '../dispatch/send-jobs.js';
import type { PreparedEmail } from './deliver-email.js';
import { DeliverBatch } from './deliver-batch.js';
import { DeliveryProviders, type ProviderInUse } from './delivery-providers.js';
import { ProviderSlots } from './concurrency/provider-slots.js';
import { CRASH_DELAY_MS, GIVEN_BACK_MS, SendRun } from './send-run.js';

/** The emails of a job that still have to be delivered. */
interface RemainingEmails {
  /** Milliseconds until the job runs again; undefined when it is done. */
  readonly laterMs?: number;
  readonly emailIds: readonly string[];
}

/** Share of a job's emails that are delivered at the same time, one per call. */
const SHARE_AT_ONCE = 0.2;

type Prepared = ReadonlyMap<string, PreparedEmail>;
const NONE_PREPARED: Prepared = new Map();

const DONE: RemainingEmails = { emailIds: [] };

/** Runs a job with emails of one broadcast: in one call of the provider where possible, all others one by one. */
@Injectable()
export class BatchRun {
  constructor(
    private readonly slots: ProviderSlots,
    private readonly single: SendRun,
    private readonly batch: DeliverBatch,
    private readonly jobs: SendJobs,
    private readonly providers: DeliveryProviders,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run({ emailIds }: Jobs['send-emails-together'], stalls: number): Promise<RemainingEmails> {
    try {
      if (stalls > 0) return await this.separate(emailIds);
      if (!(await this.slots.take())) return { laterMs: GIVEN_BACK_MS, emailIds };
      const provider = await this.batch.providerFor(emailIds);
      if (!provider) {
        const prepared = await this.prepareInSlot(emailIds).finally(() => this.slots.free());
        return await this.runEach(emailIds, prepared);
      }
      return await this.runEach(await this.runInSlot(provider, emailIds).finally(() => this.slots.free()));
    } catch (error) {
      this.logger.warn({ emails: emailIds.length, err: error }, 'Could not deliver a batch of emails; retrying');
      return { laterMs: CRASH_DELAY_MS, emailIds };
    }
  }

  /** @returns the emails that are to be delivered one by one */
  private async runInSlot(provider: ProviderInUse, emailIds: readonly string[]): Promise<readonly string[]> {
    // Each email handles a pause by itself.
    if ((await this.providers.remainingMs()) > 0) return emailIds;
    try {
      return await this.batch.run(provider, emailIds);
    } catch (error) {
      if (isTransientDatabaseError(error)) throw error;
      this.logger.error({ emails: emailIds.length, err: error }, 'Delivering a batch of emails failed');
      return emailIds;
    }
  }

  private async prepareInSlot(emailIds: readonly string[]): Promise<Prepared> {
    if ((await this.providers.remainingMs()) > 0) return NONE_PREPARED;
    try {
      return await this.batch.prepare(emailIds);
    } catch (error) {
      if (isTransientDatabaseError(error)) throw error;
      this.logger.error({ emails: emailIds.length, err: error }, 'Preparing a batch of emails failed');
      return NONE_PREPARED;
    }
  }

  /** Each takes a separate slot. A few at a time, so that other mail waits for few of them. */
  private async runEach(emailIds: readonly string[], prepared = NONE_PREPARED): Promise<RemainingEmails> {
    const waits = new Map<string, number>();
    const queue = emailIds.values();
    const runNext = async (): Promise<void> => {
      for (const emailId of queue) {
        const laterMs = await this.single.run({ emailId }, 0, prepared.get(emailId));
        if (laterMs !== undefined) waits.set(emailId, laterMs);
      }
    };
    await Promise.all(Array.from({ length: Math.ceil(emailIds.length * SHARE_AT_ONCE) }, runNext));
    if (waits.size === 0) return DONE;
    return { laterMs: Math.max(...waits.values()), emailIds: [...waits.keys()] };
  }

  /** An email that crashes its worker must not hide among others: each gets a job that counts its own crashes. */
  private async separate(emailIds: readonly string[]): Promise<RemainingEmails> {
    await this.jobs.addAlone(await this.batch.unfinished(emailIds));
    return DONE;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { isTransientDatabaseError } from '../../platform/database/transient-error.js';
import { DeliveryState } from './delivery-state.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import type { Jobs } from '../../platform/queue/jobs.js';
import { RenderingWaitError } from '../../rendering/rendering-limit-error.js';
import { DeliverEmail, type PreparedEmail } from './deliver-email.js';
import { PreparedAhead } from './prepared-ahead.js';
import { DeliveryProviders } from './delivery-providers.js';
import { OrganizationJobs } from './organizations/organization-jobs.js';
import { ProviderSlots } from './concurrency/provider-slots.js';
import { RETRY_HORIZON_MS } from './retry-schedule.js';
import { SingleSends, waitAsBroadcast, type Waiting } from './single-sends.js';

/** The first delay after a crashed run. */
export const CRASH_DELAY_MS = 10_000;
/** The delay of a job that got no slot: without it, this worker would always be the first to fetch it again. */
export const GIVEN_BACK_MS = 100;
/** The delay of a job that got no rendering thread in time: its organization keeps them busy. */
export const WAITED_FOR_RENDERING_MS = 2_000;

interface GivenToRun {
  readonly prepared?: PreparedEmail | undefined;
  /** For a single send; absent for an email of a broadcast. */
  readonly waiting?: Waiting;
}

interface WaitedForSlot {
  readonly hasSlot: boolean;
  readonly prepared?: PreparedEmail | undefined;
  /** Milliseconds until the job runs again, if that is longer than for other jobs without a slot. */
  readonly laterMs?: number;
}

/** Runs a send job and decides whether it runs again. */
@Injectable()
export class SendRun {
  constructor(
    private readonly slots: ProviderSlots,
    private readonly ahead: PreparedAhead,
    private readonly delivery: DeliverEmail,
    private readonly providers: DeliveryProviders,
    private readonly organizations: OrganizationJobs,
    private readonly state: DeliveryState,
    private readonly sends: SingleSends,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Resolves with the milliseconds until the job runs again, or undefined when it is done. */
  run(job: Jobs['send-email'], stalls: number): Promise<number | undefined> {
    return this.sends.during((waiting) => this.runOwned(job, stalls, waiting));
  }

  private async runOwned(job: Jobs['send-email'], stalls: number, waiting: Waiting): Promise<number | undefined> {
    const { emailId } = job;
    try {
      const [owner] = await this.organizations.ownersOf([emailId]);
      if (!owner) return await this.runInSlot(job, stalls, { waiting });
      // Otherwise its job would wait for as long as the providers are paused.
      if (owner === 'unneeded') return await this.delivery.reportSent(job);
      return await this.organizations.run(owner, (providers) => this.runWith(providers, job, stalls));
    } catch (error) {
      this.logger.warn({ emailId, err: error }, 'Could not prepare a delivery run; retrying');
      return CRASH_DELAY_MS;
    }
  }

  /** Runs the job with the providers of the service, once there is a slot for it. */
  async runInSlot(job: Jobs['send-email'], stalls: number, given: GivenToRun = {}): Promise<number | undefined> {
    const { prepared } = given;
    const waited = this.slots.tryTake() ? { hasSlot: true, prepared } : await this.waitForSlot(job, stalls, given);
    if (!waited.hasSlot) return waited.laterMs ?? GIVEN_BACK_MS;
    try {
      return await this.runWith(this.providers, job, stalls, waited.prepared);
    } finally {
      this.slots.free();
    }
  }

  /** Meanwhile the email is prepared, so that a slot is only held from the claim to the outcome. */
  private async waitForSlot(job: Jobs['send-email'], stalls: number, given: GivenToRun): Promise<WaitedForSlot> {
    const { waiting = waitAsBroadcast } = given;
    let { prepared } = given;
    try {
      prepared ??= await this.ahead.prepare(job, stalls);
      return { hasSlot: await waiting(() => this.slots.take()), prepared };
    } catch (error) {
      if (error instanceof RenderingWaitError) return { hasSlot: false, laterMs: WAITED_FOR_RENDERING_MS };
      throw error;
    } finally {
      if (prepared) this.ahead.release(prepared);
    }
  }

  /** Runs the job with these providers. */
  async runWith(
    providers: DeliveryProviders,
    job: Jobs['send-email'],
    stalls: number,
    prepared?: PreparedEmail,
  ): Promise<number | undefined> {
    const { emailId } = job;
    const pausedMs = await providers.remainingMs();
    try {
      if (pausedMs > 0) {
        const isOver = providers.hasLasted(RETRY_HORIZON_MS) && (await this.delivery.giveUpOverdue(providers, job));
        if (isOver) return undefined;
        if (!providers.refuseCredentials) return providers.waitMs(pausedMs);
        await this.state.hold(emailId);
        return undefined;
      }
      await this.delivery.run(providers, job, stalls, prepared);
      return undefined;
    } catch (error) {
      if (error instanceof RenderingWaitError) return WAITED_FOR_RENDERING_MS;
      if (isTransientDatabaseError(error)) {
        this.logger.warn({ emailId, err: error }, 'Postgres is not available; the delivery is retried');
        return CRASH_DELAY_MS;
      }
      this.logger.error({ emailId, err: error }, 'A delivery run crashed');
      return this.recordCrash(emailId);
    }
  }

  /** The email returns to Postgres, which counts crashed runs; while Postgres is unavailable the job stays. */
  private async recordCrash(emailId: string): Promise<number | undefined> {
    try {
      await this.state.recordCrash(emailId, CRASH_DELAY_MS);
      return undefined;
    } catch {
      return CRASH_DELAY_MS;
    }
  }
}

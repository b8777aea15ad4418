import { Inject, Injectable } from '@nestjs/common';
import { isTransientDatabaseError } from '../../platform/database/transient-error.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import type { Jobs } from '../../platform/queue/jobs.js';
import { RenderingWaitError } from '../../rendering/rendering-limit-error.js';
import { SendJobs } from '../dispatch/send-jobs.js';
import type { PreparedEmail } from './deliver-email.js';
import { DeliverBatch } from './deliver-batch.js';
import { DeliveryProviders } from './delivery-providers.js';
import { OrganizationJobs } from './organizations/organization-jobs.js';
import type { ProviderOwner } from './organizations/own-delivery-providers.js';
import { ProviderSlots } from './concurrency/provider-slots.js';
import { CRASH_DELAY_MS, GIVEN_BACK_MS, SendRun, WAITED_FOR_RENDERING_MS } from './send-run.js';

/** The emails of a job that still have to be delivered. */
interface RemainingEmails {
  /** Milliseconds until the job runs again; undefined when it is done. */
  readonly laterMs?: number;
  readonly emailIds: readonly string[];
}

/** Share of a job's emails that are delivered at the same time, one per call. */
const SHARE_AT_ONCE = 0.2;
/** Emails of a job that are delivered at the same time through an organization's own providers. */
const OWN_AT_ONCE = 4;
/** After this time, such a job begins no more emails: others need its slot, and its providers may have changed. */
const LONGEST_OWN_RUN_MS = 5_000;

/** The emails of a job that need a call each. */
interface EmailsAlone {
  /** Set for a job that is put off, with all of its emails. */
  readonly laterMs?: number;
  /** True if only the first one needs a call now: its outcome may show that the others can share one. */
  readonly isFirstOnly?: boolean;
  readonly alone: readonly string[];
  readonly prepared: ReadonlyMap<string, PreparedEmail>;
}
/** How the emails of a job are delivered. */
interface Ways {
  /**
   * Makes one call for several emails where possible.
   * @param isTested true after an email that tested a suspect provider
   * @returns the others
   */
  readonly together: (emailIds: readonly string[], isTested: boolean) => Promise<EmailsAlone>;
  /** @returns milliseconds until the email runs again, or undefined when it is done */
  readonly alone: (emailId: string, prepared?: PreparedEmail) => Promise<number | undefined>;
  /** How many of these emails are delivered alone at the same time. */
  readonly atOnce: (emails: number) => number;
}
const NONE_PREPARED: EmailsAlone['prepared'] = new Map();

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
    private readonly organizations: OrganizationJobs,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run({ emailIds }: Jobs['send-emails-together'], stalls: number): Promise<RemainingEmails> {
    try {
      if (stalls > 0) return await this.separate(emailIds);
      const owners = await this.organizations.ownersOf(emailIds);
      // The worker that finishes an email reports it, and an email that is not due gets another job.
      const own = emailIds.filter((_, index) => typeof owners[index] === 'object');
      const others = emailIds.filter((_, index) => owners[index] === undefined);
      // A broadcast belongs to one organization, but its sender may have moved to the domain of the service meanwhile.
      const owner = owners.find((found) => typeof found === 'object');
      const ended = owner ? await this.runWithOwn(owner, own) : DONE;
      return others.length > 0 ? both(ended, await this.runWithService(others)) : ended;
    } catch (error) {
      this.logger.warn({ emails: emailIds.length, err: error }, 'Could not deliver a batch of emails; retrying');
      return { laterMs: CRASH_DELAY_MS, emailIds };
    }
  }

  /** Each email that does not fit takes a separate slot. */
  private runWithService(emailIds: readonly string[]): Promise<RemainingEmails> {
    return this.runAll(emailIds, {
      together: async (ids, isTested) => {
        if (!(await this.slots.take())) return { laterMs: GIVEN_BACK_MS, alone: ids, prepared: NONE_PREPARED };
        return this.runTogether(this.providers, ids, isTested).finally(() => this.slots.free());
      },
      alone: (emailId, prepared) => this.single.runInSlot({ emailId }, 0, { prepared }),
      atOnce: (emails) => Math.ceil(emails * SHARE_AT_ONCE),
    });
  }

  /** The job keeps one slot of its organization. */
  private async runWithOwn(owner: ProviderOwner, emailIds: readonly string[]): Promise<RemainingEmails> {
    let endsAt: number | undefined;
    const end = await this.organizations.run(owner, (providers) =>
      this.runAll(emailIds, {
        together: (ids, isTested) => this.runTogether(providers, ids, isTested),
        alone: async (emailId, prepared) => {
          endsAt ??= performance.now() + LONGEST_OWN_RUN_MS;
          if (this.organizations.isStopping || performance.now() > endsAt) return GIVEN_BACK_MS;
          return this.single.runWith(providers, { emailId }, 0, prepared);
        },
        atOnce: () => OWN_AT_ONCE,
      }),
    );
    return typeof end === 'number' ? { laterMs: end, emailIds } : end;
  }

  private async runAll(emailIds: readonly string[], ways: Ways, isTested = false): Promise<RemainingEmails> {
    const { alone, prepared, laterMs, isFirstOnly } = await ways.together(emailIds, isTested);
    if (laterMs !== undefined) return { laterMs, emailIds };
    const run = (emailId: string) => ways.alone(emailId, prepared.get(emailId));
    if (!isFirstOnly) return this.runEach(alone, ways.atOnce(alone.length), run);
    const [first, ...rest] = alone;
    const waitMs = await run(first!);
    if (waitMs !== undefined) return { laterMs: waitMs, emailIds: alone };
    return rest.length > 0 ? this.runAll(rest, ways, true) : DONE;
  }

  /** Delivers emails in one call if a provider takes several. @returns the others, prepared if they all go alone */
  private async runTogether(
    providers: DeliveryProviders,
    emailIds: readonly string[],
    isTested: boolean,
  ): Promise<EmailsAlone> {
    const all = { alone: emailIds, prepared: NONE_PREPARED };
    // Each email handles a pause by itself.
    if ((await providers.remainingMs()) > 0) return all;
    const provider = await providers.forBatch(emailIds[0]!, isTested);
    try {
      if (!provider) return { alone: emailIds, prepared: await this.batch.prepare(emailIds) };
      const alone = await this.batch.run(providers, provider, emailIds);
      return alone ? { ...all, alone } : { ...all, isFirstOnly: true };
    } catch (error) {
      if (error instanceof RenderingWaitError) return { ...all, laterMs: WAITED_FOR_RENDERING_MS };
      if (isTransientDatabaseError(error)) throw error;
      const failed = provider ? 'Delivering a batch of emails failed' : 'Preparing a batch of emails failed';
      this.logger.error({ emails: emailIds.length, err: error }, failed);
      return all;
    }
  }

  /**
   * A few at a time, so that other mail waits for few of them.
   * @param run resolves with milliseconds until the email runs again, or undefined when it is done
   */
  private async runEach(
    emailIds: readonly string[],
    atOnce: number,
    run: (emailId: string) => Promise<number | undefined>,
  ): Promise<RemainingEmails> {
    const waits = new Map<string, number>();
    const queue = emailIds.values();
    const runNext = async (): Promise<void> => {
      for (const emailId of queue) {
        const laterMs = await run(emailId);
        if (laterMs !== undefined) waits.set(emailId, laterMs);
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, emailIds.length) }, runNext));
    if (waits.size === 0) return DONE;
    return { laterMs: Math.max(...waits.values()), emailIds: [...waits.keys()] };
  }

  /** An email that crashes its worker must not hide among others: each gets a job that counts its own crashes. */
  private async separate(emailIds: readonly string[]): Promise<RemainingEmails> {
    await this.jobs.addAlone(await this.batch.unfinished(emailIds));
    return DONE;
  }
}

function both(one: RemainingEmails, other: RemainingEmails): RemainingEmails {
  const waits = [one.laterMs, other.laterMs].filter((laterMs) => laterMs !== undefined);
  if (waits.length === 0) return DONE;
  return { laterMs: Math.max(...waits), emailIds: [...one.emailIds, ...other.emailIds] };
}

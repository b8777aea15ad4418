import { Injectable } from '@nestjs/common';
import { EventLoopTurns } from '../../platform/clock/event-loop-turns.js';
import type { DeliveryOutcome } from '../../providers/provider.js';
import { RenderingWaitError } from '../../rendering/rendering-limit-error.js';
import type { DispatchedEmail } from '../dispatch/dispatched-email.js';
import { alikeOf } from './alike-emails.js';
import { audienceOf } from './claims.js';
import type { DeliveryProviders } from './delivery-providers.js';
import type { ProviderInUse } from './provider-in-use.js';
import { DeliverySettlement } from './delivery-settlement.js';
import { DeliveryState } from './delivery-state.js';
import type { EmailClaim } from './email-claim.js';
import type { PreparedEmail } from './deliver-email.js';
import { EmailRendering, type RenderedBatch } from './email-rendering.js';
import { HeldLeases } from './held-leases.js';
import { EmailLoader } from './load-email.js';
import type { LoadedEmail } from './loaded-email.js';
import { ProviderCalls } from './provider-calls.js';
import { SingleSends } from './single-sends.js';
import { recordOutcome, STALLED, untilRecorded } from './record-outcome.js';

/** An email that is sent in one call with others. */
interface Member {
  readonly email: LoadedEmail;
  readonly claim: EmailClaim;
  readonly own: RenderedBatch['recipients'][number];
}

/**
 * One run of a job with several emails of one broadcast: load, render, one call of the provider, record the outcome of
 * each. Each email has its own claim; one statement makes all claims right before the bytes that complete the call.
 * Emails that do not fit are returned, to be delivered alone: the slower path works for every email.
 */
@Injectable()
export class DeliverBatch {
  /**
   * A chunk of a broadcast takes milliseconds to compute, and its statements keep Postgres busy. No turn includes a
   * wait for a rendering thread: each organization has its own line there, and a slow one would hold up all others.
   * Chunks that wait there are at most as many as the slots of their providers.
   */
  private readonly turns = new EventLoopTurns();

  constructor(
    private readonly emails: EmailLoader,
    private readonly rendering: EmailRendering,
    private readonly state: DeliveryState,
    private readonly leases: HeldLeases,
    private readonly calls: ProviderCalls,
    private readonly settlement: DeliverySettlement,
    private readonly sends: SingleSends,
  ) {}

  /**
   * The emails that need their own run after a crash: emails that are due, and emails that are sent, because the crash
   * may have come before the status was reported.
   */
  async unfinished(emailIds: readonly string[]): Promise<readonly DispatchedEmail[]> {
    const found = await this.emails.findBatch(emailIds);
    const unfinished = found.filter((email) => isDue(email) || email.status === 'sent');
    return unfinished.map(({ id, generation, position }) => ({ emailId: id, generation, position }));
  }

  /**
   * Loads and renders emails for a provider that takes them one by one.
   * @returns those that are ready to be delivered, by ID; all others must be loaded again
   * @throws RenderingWaitError when no rendering thread is free for them in time
   */
  async prepare(emailIds: readonly string[]): Promise<ReadonlyMap<string, PreparedEmail>> {
    const { due, loadedAt } = await this.loadDue(emailIds);
    const rendered = await this.ofAlike(alikeOf(due), (alike) => this.rendering.renderEach(alike));
    return new Map([...(rendered ?? [])].map(([email, render]) => [email.id, { email, render, loadedAt }]));
  }

  /**
   * @param provider the one of `providers` that gets the emails
   * @returns the emails that must be delivered alone; undefined, without a call, while the provider needs single emails
   * @throws RenderingWaitError when no rendering thread is free for them in time
   */
  async run(
    providers: DeliveryProviders,
    provider: ProviderInUse,
    emailIds: readonly string[],
  ): Promise<readonly string[] | undefined> {
    if (provider.pause.failure.needsSingleEmails) return undefined;
    const { due, fitting } = await this.fittingOf(provider, emailIds);
    if (!fitting || fitting.recipients.length === 0) return due.map(({ id }) => id);
    // Meanwhile an outcome may have been unknown: all of the call would come into doubt if the provider has
    // begun to fail.
    if (provider.pause.failure.needsSingleEmails) return undefined;
    const inBatch = new Set(fitting.recipients.map(({ email }) => email.id));
    const others = due.filter(({ id }) => !inBatch.has(id));
    return [...others, ...(await this.deliver(providers, provider, fitting))].map(({ id }) => id);
  }

  /** A turn gives way to single sends. */
  private inTurn<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    return this.turns.run(() => this.sends.giveWay().then(work));
  }

  private async fittingOf(provider: ProviderInUse, emailIds: readonly string[]) {
    const { due } = await this.loadDue(emailIds);
    // One of several emails in doubt may have caused it: a second call with it would be the last one of all.
    const alike = alikeOf(due.filter(({ doubtfulProvider }) => doubtfulProvider === null));
    const rendered = await this.ofAlike(alike, (emails) => this.rendering.renderBatch(emails));
    return { due, fitting: rendered && (await this.inTurn(() => this.calls.fitting(provider, rendered))) };
  }

  private loadDue(emailIds: readonly string[]): Promise<{ due: readonly LoadedEmail[]; loadedAt: number }> {
    return this.inTurn(async () => {
      const loadedAt = performance.now();
      return { due: (await this.emails.findBatch(emailIds)).filter(isDue), loadedAt };
    });
  }

  /** @returns undefined for emails that have to be rendered alone, which may then fail */
  private async ofAlike<Rendered>(
    emails: readonly LoadedEmail[],
    render: (emails: readonly LoadedEmail[]) => Promise<Rendered>,
  ): Promise<Rendered | undefined> {
    if (emails.length === 0) return undefined;
    try {
      return await render(emails);
    } catch (error) {
      // Alone, they would make the line of their organization longer still.
      if (error instanceof RenderingWaitError) throw error;
      return undefined;
    }
  }

  private async deliver(
    providers: DeliveryProviders,
    provider: ProviderInUse,
    rendered: RenderedBatch,
  ): Promise<readonly LoadedEmail[]> {
    const members = rendered.recipients.map((own): Member => {
      const { email } = own;
      return { email, own, claim: this.leases.begin(email, audienceOf(email)) };
    });
    let claims: Promise<readonly boolean[]> | undefined;
    const claimAll = () =>
      (claims = this.inTurn(() => Promise.all(members.map(({ claim }) => claim.allowsHandOver(provider.id)))));
    try {
      const outcome = await this.calls.deliverBatch(providers, provider, rendered, claimAll);
      if (outcome.kind === 'refused' || (await providers.canMove(provider, outcome))) {
        // The call may have failed meanwhile. A claim that is made after the release would put its email in doubt.
        await claims;
        return await this.release(members);
      }
      const ends = await Promise.allSettled(members.map((member) => this.record(member, outcome, providers.areOwn)));
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed) throw failed.reason;
      return members
        .filter((_, index) => (ends[index] as PromiseFulfilledResult<boolean>).value)
        .map(({ email }) => email);
    } finally {
      for (const { claim } of members) this.leases.end(claim);
    }
  }

  /** No recipient got an email, perhaps because of a single one. */
  private async release(members: readonly Member[]): Promise<readonly LoadedEmail[]> {
    await untilRecorded(() => this.state.release(members.map(({ claim }) => claim.lease)));
    return members.map(({ email }) => email);
  }

  /** @returns true for an email that must be delivered again, without its suppressed recipient */
  private async record(
    { email, claim, own }: Member,
    outcome: DeliveryOutcome,
    isForOwnProviders: boolean,
  ): Promise<boolean> {
    const attempt = await claim.attempt();
    if (claim.suppressed.length > 0) {
      await this.settlement.leaveOut(email.id, claim.suppressed);
      return true;
    }
    if (attempt === undefined) return false;
    const { lease } = claim;
    const made = { email, lease, attempt, isForOwnProviders, urls: own.urls, waitingInstance: undefined };
    await recordOutcome(this.settlement, made, claim.isStale ? STALLED : outcome);
    return false;
  }
}

function isDue({ status, dueInMs }: LoadedEmail): boolean {
  return status === 'queued' && dueInMs === 0;
}

import { Inject, Injectable } from '@nestjs/common';
import { isLongSubject } from '../../emails/accept/content-rules.js';
import type { Clock } from '../../platform/clock/clock.js';
import { Database } from '../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import type { Variables } from '../../rendering/liquid/liquid-template.js';
import { RenderingLimitError, RenderingWaitError } from '../../rendering/rendering-limit-error.js';
import { RenderingPool } from '../../rendering/rendering-pool.js';

/** The recipients of a broadcast for whom its next step needs subjects. */
export interface WantedSubjects {
  readonly broadcastId: string;
  readonly organizationId: string;
  readonly subject: string;
  /** The place after which they begin. */
  readonly after: string;
  readonly size: number;
}

/** Subjects of recipients, by place. An erasure may remove a recipient before its email is made. */
export interface RenderedSubjects {
  readonly broadcastId: string;
  readonly after: string;
  readonly places: readonly string[];
  readonly subjects: readonly string[];
  /** The time of the emails, which "now" means, in milliseconds since 1970. */
  readonly now: number;
}

/**
 * How long subjects may wait for a rendering thread, and how long they may take, in milliseconds: a worker takes no
 * other step meanwhile. Those of a step usually take a few.
 */
const MAX_WAIT_MS = 1_000;
const TIME_LIMIT_MS = 500;
/** How many broadcasts with expensive subjects a worker remembers. */
const MAX_REMEMBERED = 1_000;

const RECIPIENTS = `
select place, variables from broadcast_recipients where broadcast_id = $1 and place > $2::bigint order by place limit $3`;

/**
 * Renders the subjects of the next emails, for lists and webhooks. A subject that fails to render is stored as the
 * template; the worker renders each email with its subject again.
 */
@Injectable()
export class BroadcastSubjects {
  /** Broadcasts whose subjects were over a limit: to end a thread in each step costs other organizations, too. */
  private readonly expensive = new Set<string>();

  constructor(
    private readonly pool: RenderingPool,
    private readonly database: Database,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  /** False for a broadcast whose emails have its subject as it is. */
  areNeeded({ id, subject }: { readonly id: string; readonly subject: string }): boolean {
    return /\{[{%]/.test(subject) && !this.expensive.has(id);
  }

  /**
   * Do not call it in a transaction, which would stay open for as long as the subjects wait.
   * @returns undefined when no rendering thread is free in time, or when there are no recipients
   */
  async render(wanted: WantedSubjects): Promise<RenderedSubjects | undefined> {
    const { broadcastId, after, subject, size } = wanted;
    const now = this.clock.now();
    const values = [broadcastId, after, size];
    const recipients = await this.database.query<{ place: string; variables: Variables | null }>(RECIPIENTS, values);
    const variables = recipients.map((recipient) => recipient.variables ?? {});
    const rendered = variables.length > 0 ? await this.fillIn(wanted, variables, now) : undefined;
    if (!rendered) return undefined;
    const places = recipients.map(({ place }) => place);
    return { broadcastId, after, places, subjects: places.map((_, index) => usable(rendered[index]) ?? subject), now };
  }

  private async fillIn(
    { broadcastId, organizationId, subject }: WantedSubjects,
    variables: readonly Variables[],
    now: number,
  ): Promise<(string | null)[] | undefined> {
    const requester = {
      ...{ organizationId, mayBeRefused: false },
      ...{ maxWaitMs: MAX_WAIT_MS, timeLimitMs: TIME_LIMIT_MS },
    };
    try {
      return await this.pool.renderSubjects({ subject, variables, now }, requester);
    } catch (error) {
      if (error instanceof RenderingWaitError) return undefined;
      if (error instanceof RenderingLimitError) this.remember(broadcastId);
      return [];
    }
  }

  private remember(broadcastId: string): void {
    this.expensive.add(broadcastId);
    const [oldest] = this.expensive;
    if (this.expensive.size > MAX_REMEMBERED) this.expensive.delete(oldest!);
  }
}

function usable(subject: string | null | undefined): string | undefined {
  return subject && !isLongSubject(subject) ? subject : undefined;
}

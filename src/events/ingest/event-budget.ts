import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { PlanLimits } from '../../platform/config/plan-limits.js';
import type { Sql } from '../../platform/database/database.js';
import { periodOf, type BudgetLine } from '../../organizations/budgets/budget.js';
import type { BudgetWarnings } from '../../organizations/budgets/budget-warnings.js';
import { recordEventUse, type EventUse } from '../../organizations/budgets/record-event-use.js';
import { machineClassOf } from '../verdict.js';
import { findEarlierHits } from './earlier-hits.js';
import type { EventOfEmail } from './event-rows.js';
import type { SumOfEmail } from './event-sums.js';
import { refuseRepeats } from './repeated-hits.js';

const BUDGET = 'eventsPerEmailPerMinute';
const MINUTE_MS = 60_000;
/** From this share of the limit on, the use of an email is recorded. */
const SHOWN_FROM = 0.5;

const OWNERS = `
select e.id, e.organization_id as "organizationId", o.plan
  from emails e join organizations o on o.id = e.organization_id where e.id = any($1::uuid[])`;

/** The new hits of one email in one minute. */
interface MinuteOfEmail {
  readonly email: EventOfEmail['email'];
  readonly from: number;
  readonly hits: EventOfEmail[];
}

/** How many opens and clicks of an email are stored one by one in a minute, by the plan of its organization. */
export class EventBudget {
  constructor(
    private readonly limits: PlanLimits,
    private readonly warnings: Pick<BudgetWarnings, 'warn'>,
  ) {}

  /**
   * Removes the hits beyond the limit of their organization's plan from `events`: they are only counted. Each keeps its
   * ID, so that a repeat is recognized. The locks of the emails make this exact for any number of processes.
   * @param events new events of locked emails
   * @returns the hits to count
   * @throws RepeatedHitError if some are beyond the limit, and a hit of their minute is already stored
   */
  async takeBeyond(sql: Sql, events: EventOfEmail[]): Promise<SumOfEmail[]> {
    const { smallest } = this.limits;
    if (smallest === undefined) return [];
    // Most emails have fewer hits in total than the smallest limit allows per minute, and cost no query.
    const minutes = minutesOf(events).filter(
      ({ email, hits }) => email.opens + email.clicks + hits.length >= smallest * SHOWN_FROM,
    );
    if (minutes.length === 0) return [];
    const beyond = await this.findBeyond(sql, minutes);
    if (beyond.size === 0) return [];
    const kept = events.filter((event) => !beyond.has(event));
    events.splice(0, events.length, ...kept);
    return [...beyond].map(toSum);
  }

  private async findBeyond(sql: Sql, minutes: readonly MinuteOfEmail[]): Promise<ReadonlySet<EventOfEmail>> {
    const ids = [...new Set(minutes.map(({ email }) => email.id))];
    const rows = await sql.query<{ id: string; organizationId: string; plan: string }>(OWNERS, [ids]);
    const owners = new Map(rows.map(({ id, ...owner }) => [id, owner]));
    const ranges = minutes.map(({ email, from }) => ({ email, from, until: from + MINUTE_MS - 1 }));
    const stored = await findEarlierHits(sql, ranges);
    const beyond = new Set<EventOfEmail>();
    const uses = new Map<string, EventUse>();
    for (const { email, from, hits } of minutes) {
      const owner = owners.get(email.id);
      const limit = owner && this.limits.of(owner.plan);
      if (!owner || limit === undefined) continue;
      const known = (stored.get(email.id) ?? []).filter(({ at }) => at >= from && at < from + MINUTE_MS);
      const before = known.length;
      if (before + hits.length > limit) refuseRepeats(known, hits);
      for (const hit of hits.slice(Math.max(0, limit - before))) beyond.add(hit);
      const line = { organizationId: owner.organizationId, budget: BUDGET, period: from, limit } as const;
      keepMost(uses, line, Math.min(limit, before + hits.length));
    }
    for (const line of await recordEventUse(sql, [...uses.values()])) await this.warnings.warn(sql, line);
    return beyond;
  }
}

function keepMost(uses: Map<string, EventUse>, line: BudgetLine & { readonly limit: number }, events: number): void {
  const key = `${line.organizationId} ${line.period}`;
  if (events >= line.limit * SHOWN_FROM && events > (uses.get(key)?.events ?? 0)) uses.set(key, { line, events });
}

function minutesOf(events: readonly EventOfEmail[]): MinuteOfEmail[] {
  const minutes = new Map<string, MinuteOfEmail>();
  for (const one of events) {
    if (one.event.type === 'sent') continue;
    const from = periodOf(BUDGET, timeOfUuidV7(one.event.id));
    const key = `${one.email.id} ${from}`;
    const known = minutes.get(key);
    if (known) known.hits.push(one);
    else minutes.set(key, { email: one.email, from, hits: [one] });
  }
  return [...minutes.values()];
}

function toSum({ event, email, verdict }: EventOfEmail): SumOfEmail {
  const position = event.type === 'clicked' ? { linkPosition: event.linkPosition } : {};
  const machine = machineClassOf(verdict);
  return {
    email,
    scanned: new Set(),
    event: {
      type: 'summed',
      id: event.id,
      emailTrackingId: event.emailTrackingId,
      opens: event.type === 'opened' ? 1 : 0,
      clicks: event.type === 'clicked' ? [{ linkPosition: event.linkPosition, clicks: 1 }] : [],
      ...(machine !== undefined && { machines: [{ class: machine, ...position, hits: 1 }] }),
    },
  };
}

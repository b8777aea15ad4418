import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { PlanLimits } from '../../platform/config/plan-limits.js';
import type { Sql } from '../../platform/database/database.js';
import { machineClassOf } from '../verdict.js';
import { findEarlierHits } from './earlier-hits.js';
import type { EventOfEmail } from './event-rows.js';
import type { SumOfEmail } from './event-sums.js';

const MINUTE_MS = 60_000;

const PLANS = `
select e.id, o.plan from emails e join organizations o on o.id = e.organization_id where e.id = any($1::uuid[])`;

/** The new hits of one email in one minute. */
interface MinuteOfEmail {
  readonly email: EventOfEmail['email'];
  readonly from: number;
  readonly hits: EventOfEmail[];
}

/**
 * Takes the hits beyond the limit of their organization's plan out of `events`: they are only counted. Each keeps its
 * ID, so that a repeat is known. The locks of the emails make it exact for any number of processes.
 * @param events new events of locked emails
 * @returns the hits to count
 */
export async function takeBeyondBudget(
  sql: Sql,
  events: EventOfEmail[],
  limits: PlanLimits | undefined,
): Promise<SumOfEmail[]> {
  const smallest = limits?.smallest;
  if (limits === undefined || smallest === undefined) return [];
  // Most emails have fewer hits in all than the smallest limit allows in a minute, and cost no query.
  const minutes = minutesOf(events).filter(({ email, hits }) => email.opens + email.clicks + hits.length > smallest);
  if (minutes.length === 0) return [];
  const ids = [...new Set(minutes.map(({ email }) => email.id))];
  const plans = new Map(
    (await sql.query<{ id: string; plan: string }>(PLANS, [ids])).map(({ id, plan }) => [id, plan]),
  );
  const ranges = minutes.map(({ email, from }) => ({ email, from, until: from + MINUTE_MS - 1 }));
  const stored = await findEarlierHits(sql, ranges);
  const beyond = new Set<EventOfEmail>();
  for (const { email, from, hits } of minutes) {
    const limit = limits.of(plans.get(email.id) ?? '') ?? Infinity;
    const before = (stored.get(email.id) ?? []).filter(({ at }) => at >= from && at < from + MINUTE_MS).length;
    for (const hit of hits.slice(Math.max(0, limit - before))) beyond.add(hit);
  }
  if (beyond.size === 0) return [];
  const kept = events.filter((event) => !beyond.has(event));
  events.splice(0, events.length, ...kept);
  return [...beyond].map(toSum);
}

function minutesOf(events: readonly EventOfEmail[]): MinuteOfEmail[] {
  const minutes = new Map<string, MinuteOfEmail>();
  for (const one of events) {
    if (one.event.type === 'sent') continue;
    const at = timeOfUuidV7(one.event.id);
    const from = at - (at % MINUTE_MS);
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

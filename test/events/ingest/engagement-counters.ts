import type { Sql } from '../../../src/platform/database/database.js';
import { ENGAGEMENT_CLASSES, isMachine, MACHINE_CLASSES, verdictOf } from '../../../src/events/verdict.js';
import { hoursOfEvents, storedHours, type HourlyFigures } from './hourly-figures.js';

interface Counters {
  readonly opens: number;
  readonly clicks: number;
  readonly machineOpens: number;
  readonly machineClicks: number;
}

/** The counters of people and machines, keyed by the row they belong to. */
export interface EngagementCounters {
  readonly emails: Readonly<Record<string, Counters & { personOpened: boolean; personClicked: boolean }>>;
  readonly contacts: Readonly<Record<string, Counters>>;
  readonly campaigns: Readonly<Record<string, Counters & Record<string, number>>>;
  /** By email and position. */
  readonly links: Readonly<Record<string, { clicks: number; machineClicks: number }>>;
  readonly campaignLinks: Readonly<Record<string, { clicks: number; machineClicks: number }>>;
  /** By email and class. */
  readonly machines: Readonly<Record<string, number>>;
  readonly hours: HourlyFigures;
}

const COUNTERS = `opens::int, clicks::int, machine_opens::int as "machineOpens", machine_clicks::int as "machineClicks"`;
const CLICKS = 'clicks::int, machine_clicks::int as "machineClicks"';

/** The counters as stored. Rows in which all are 0 may be missing. */
export async function storedCounters(sql: Sql): Promise<EngagementCounters> {
  const table = async <Row>(statement: string): Promise<Record<string, Row>> => {
    const rows = await sql.query<{ key: string }>(statement);
    return Object.fromEntries(rows.map(({ key, ...row }) => [key, row as Row]));
  };
  const machines = await table<{ hits: number }>(
    `select email_id || '/' || class as key, hits::int from email_machine_hits where hits <> 0`,
  );
  return {
    emails: await table(
      `select id as key, ${COUNTERS}, person_opened as "personOpened", person_clicked as "personClicked" from emails
        where opens + clicks > 0`,
    ),
    contacts: await table(`select id as key, ${COUNTERS} from contacts where opens + clicks > 0`),
    campaigns: await table(
      `select campaign_id as key, ${COUNTERS}, unique_opens::int as "uniqueOpens", unique_clicks::int as "uniqueClicks",
         prefetches::int as prefetch, previews::int as preview, scans::int as scanner, bots::int as bot
         from campaign_totals where shard = -1`,
    ),
    links: await table(`select email_id || '/' || position as key, ${CLICKS} from email_link_clicks where clicks > 0`),
    campaignLinks: await table(
      `select campaign_id || ' ' || url as key, ${CLICKS} from campaign_links where clicks > 0`,
    ),
    machines: Object.fromEntries(Object.entries(machines).map(([key, { hits }]) => [key, hits])),
    hours: await storedHours(sql),
  };
}

interface EventRow {
  readonly emailId: string;
  readonly campaignId: string | null;
  readonly contactId: string;
  readonly ordinal: number;
  readonly type: 'opened' | 'clicked';
  readonly position: number | null;
  readonly url: string | null;
  readonly verdict: number;
}

/** The counters derived from the stored events. Without sums, `storedBooks` must return the same. */
export async function countersOfEvents(sql: Sql): Promise<EngagementCounters> {
  const rows = await sql.query<EventRow>(
    `select v.email_id as "emailId", e.campaign_id as "campaignId", v.contact_id as "contactId", v.ordinal, v.type,
            v.link_position as position, v.url, v.verdict
       from events v join emails e on e.id = v.email_id where v.type <> 'sent'`,
  );
  const hits = rows.filter(({ ordinal }) => ordinal === 1);
  const inCampaigns = hits.filter(({ campaignId }) => campaignId !== null);
  const clicks = hits.filter(({ type }) => type === 'clicked');
  const people = hits.filter(({ verdict }) => !isMachine(verdict));
  const uniques = (type: string, of: (hit: EventRow) => boolean): number =>
    new Set(people.filter((hit) => hit.type === type && of(hit)).map(({ emailId }) => emailId)).size;
  const machines = hits.filter(({ verdict }) => isMachine(verdict));
  return {
    emails: grouped(
      hits,
      ({ emailId }) => emailId,
      (of) => ({
        ...countersOf(of),
        personOpened: of.some(({ type, verdict }) => type === 'opened' && !isMachine(verdict)),
        personClicked: of.some(({ type, verdict }) => type === 'clicked' && !isMachine(verdict)),
      }),
    ),
    contacts: grouped(rows, ({ contactId }) => contactId, countersOf),
    campaigns: grouped(
      inCampaigns,
      ({ campaignId }) => campaignId!,
      (of) => ({
        ...countersOf(of),
        uniqueOpens: uniques('opened', ({ campaignId }) => campaignId === of[0]!.campaignId),
        uniqueClicks: uniques('clicked', ({ campaignId }) => campaignId === of[0]!.campaignId),
        ...Object.fromEntries(
          MACHINE_CLASSES.map((name) => [name, of.filter(({ verdict }) => verdictOf(verdict).class === name).length]),
        ),
      }),
    ),
    links: grouped(clicks, ({ emailId, position }) => `${emailId}/${position}`, clicksOf),
    campaignLinks: grouped(
      clicks.filter(({ campaignId }) => campaignId !== null),
      ({ campaignId, url }) => `${campaignId} ${url}`,
      clicksOf,
    ),
    machines: grouped(
      machines,
      ({ emailId, verdict }) => `${emailId}/${ENGAGEMENT_CLASSES.indexOf(verdictOf(verdict).class)}`,
      (of) => of.length,
    ),
    hours: await hoursOfEvents(sql),
  };
}

function countersOf(hits: readonly EventRow[]): Counters {
  const count = (type: string, isCounted: (verdict: number) => boolean): number =>
    hits.filter((hit) => hit.type === type && isCounted(hit.verdict)).length;
  return {
    opens: count('opened', () => true),
    clicks: count('clicked', () => true),
    machineOpens: count('opened', isMachine),
    machineClicks: count('clicked', isMachine),
  };
}

function clicksOf(hits: readonly EventRow[]) {
  const { clicks, machineClicks } = countersOf(hits);
  return { clicks, machineClicks };
}

function grouped<Value>(
  hits: readonly EventRow[],
  keyOf: (hit: EventRow) => string,
  valueOf: (hits: readonly EventRow[]) => Value,
): Record<string, Value> {
  const groups = new Map<string, EventRow[]>();
  for (const hit of hits) groups.set(keyOf(hit), [...(groups.get(keyOf(hit)) ?? []), hit]);
  return Object.fromEntries([...groups].map(([key, group]) => [key, valueOf(group)]));
}

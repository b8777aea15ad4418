import { partitionName } from '../../events/event-partitions.js';
import { domains, firstNames, lastNames } from './seed-content.js';
import type { SeedSizes } from './seed-sizes.js';

const DAY_MS = 86_400_000;
const PERIOD_DAYS = 180;

/** Determines the content of every email and event from its number, so that rows need no lookups. */
export interface SeedPlan {
  readonly sizes: SeedSizes;
  readonly organizationId: string;
  /** Contact IDs start here and have no gaps. */
  readonly firstContactId: number;
  /** Period in which emails were sent, in milliseconds since the Unix epoch. */
  readonly startMs: number;
  readonly endMs: number;
}

export function planOf(sizes: SeedSizes, organizationId: string, firstContactId: number, now: number): SeedPlan {
  return { sizes, organizationId, firstContactId, startMs: now - PERIOD_DAYS * DAY_MS, endMs: now };
}

/** The first day of every month that has events in a plan for `now`. */
export function monthsUntil(now: Date): Date[] {
  const months = new Map<string, Date>();
  for (let day = 0; day <= PERIOD_DAYS; day++) {
    const date = new Date(now.getTime() - day * DAY_MS);
    const month = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
    months.set(partitionName(month), month);
  }
  return [...months.values()];
}

export function emailsOf({ sizes }: SeedPlan): number {
  return sizes.emails + sizes.regularEmails;
}

/** Number of opens and clicks. */
export function engagementsOf(plan: SeedPlan): number {
  return plan.sizes.events - emailsOf(plan);
}

/**
 * Creates `planned_emails`, with the data that other rows need about each email, numbered from 1. Emails of the big
 * campaign come first, then the emails to the first contact. Values that seem random are reproducible sequences.
 */
export function planEmails(plan: SeedPlan): string[] {
  const { sizes, firstContactId, startMs, endMs } = plan;
  const { campaigns, emails, contacts, regularEmails } = sizes;
  const period = endMs - startMs;
  return [
    `create temp table planned_emails on commit drop as
     select n, ${uuidV7Sql('ms', 'hash')} as id, contact_id, campaign_number, ms, to_timestamp(ms / 1000.0) as sent_at
     from (
       select n, md5('${plan.organizationId}' || 'email' || n) as hash,
         ${firstContactId}::bigint + case when n <= ${emails} then (n - 1) % ${contacts} else 0 end as contact_id,
         case when n <= ${emails} then 1 else 2 + n % ${campaigns - 1} end as campaign_number,
         ${startMs} + case when n <= ${emails} then n * ${period} / ${emails}
                           else (n - ${emails}) * ${period} / ${regularEmails} end as ms
       from generate_series(1::bigint, ${emailsOf(plan)}) n offset 0
     ) planned`,
    'alter table planned_emails add primary key (n)',
    'analyze planned_emails',
  ];
}

/** Creates temporary tables of the campaigns by number and the contacts by ID. */
export function planOthers(plan: SeedPlan): string[] {
  const { sizes, organizationId, firstContactId, startMs } = plan;
  const last = firstContactId + sizes.contacts - 1;
  return [
    `create temp table planned_campaigns on commit drop as
     select number, ${uuidV7Sql(`(${startMs} - 1000000 + number)`, `md5('${organizationId}campaign' || number)`)} as id
     from generate_series(1::bigint, ${sizes.campaigns}) number`,
    'alter table planned_campaigns add primary key (number)',
    `create temp table planned_contacts on commit drop as
     select id, row_number() over (order by hashint8(id), id) as place, ${address('id', firstContactId)} as address
     from generate_series(${firstContactId}::bigint, ${last}) id`,
    'alter table planned_contacts add primary key (id)',
    'create index on planned_contacts (place)',
    'analyze planned_campaigns',
    'analyze planned_contacts',
  ];
}

/** Builds a UUIDv7 in SQL from expressions for milliseconds and 32 hexadecimal digits. */
export function uuidV7Sql(ms: string, hash: string): string {
  return `(lpad(to_hex(${ms}), 12, '0') || '7' || substr(${hash}, 1, 3) || '8' || substr(${hash}, 4, 15))::uuid`;
}

/** The email and delay of open or click number `j`. In each group of sixteen emails, some get many and some none. */
export function engagementOf(plan: SeedPlan, j: string): { email: string; delayMs: string } {
  const member = `floor(16 * power(${fractionOf(j, '0.6180339887498949')}, 2))::bigint`;
  return {
    email: `least(${emailsOf(plan)}, 1 + ${emailsBefore(plan, j)} + ${member})`,
    delayMs: `60000 + floor(${10 * DAY_MS} * power(${fractionOf(j, '0.7548776662466927')}, 4))::bigint`,
  };
}

/** The number of emails before the group of sixteen that open or click number `j` belongs to. */
export function emailsBefore(plan: SeedPlan, j: string): string {
  return `${j} * ${emailsOf(plan)} / ${Math.max(1, engagementsOf(plan))} / 16 * 16`;
}

function fractionOf(number: string, factor: string): string {
  return `(${number} * float8 '${factor}' - floor(${number} * float8 '${factor}'))`;
}

function address(id: string, firstContactId: number): string {
  const pick = (from: readonly string[], divisor: number): string =>
    `('{${from.join(',')}}'::text[])[1 + ${id} / ${divisor} % ${from.length}]`;
  return `${pick(firstNames, 1)} || '.' || ${pick(lastNames, 16)} || (${id} - ${firstContactId}) || '@'
    || ${pick(domains, 7)} || '.example'`;
}

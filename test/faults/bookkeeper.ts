import { EVENT_STREAM } from '../../src/stream/event-stream.js';
import type { Books, EngagementEntries, SendEntry, StoredEmail } from './conservation.js';
import type { Ledger } from './ledger.js';
import type { Plant } from './plant/plant.js';

/** More memory than this means that something piles up. */
const MEMORY_LIMIT_MB = 700;

/** What is left to do for a scenario, and what has not shown yet. */
export interface Unsettled {
  readonly emails: number;
  readonly events: number;
  readonly announcements: number;
}

interface EmailRow {
  id: string;
  key: string | null;
  status: string;
  possible_duplicate: boolean;
  last_error: string | null;
}

/** Closes the books of a scenario: what clients were told beside what Postgres and the stubs hold. */
export async function closeBooks(plant: Plant, ledger: Ledger): Promise<Books> {
  const [sends, engagement] = await Promise.all([readSends(plant, ledger), readEngagement(plant, ledger)]);
  return { sends, engagement, complaints: ledger.complaints, processes: misconduct(plant) };
}

/** Emails without a last state, answered events that are not stored, and sendings that were not announced. */
export async function unsettled(plant: Plant, ledger: Ledger): Promise<Unsettled> {
  const emails = await plant.database.query<{ id: string; status: string }>(
    'select id, status from emails where organization_id = $1',
    [ledger.organizationId],
  );
  const stored = new Set(await storedEvents(plant, ledger));
  return {
    emails: emails.filter(({ status }) => status !== 'sent' && status !== 'failed').length,
    events: ledger.answeredEvents.filter((id) => !stored.has(id) && !ledger.destroyedEvents.has(id)).length,
    announcements: emails.filter(({ id, status }) => status === 'sent' && plant.announcements.of(id).length === 0)
      .length,
  };
}

/** Entries of the stream that somebody may still store, for the second time perhaps. */
export function entriesLeft(plant: Plant): Promise<number> {
  return plant.withRedis((redis) => redis.xlen(EVENT_STREAM));
}

async function readSends(plant: Plant, ledger: Ledger): Promise<SendEntry[]> {
  const rows = await plant.database.query<EmailRow>(
    `select e.id, e.status, e.possible_duplicate, e.last_error, c.metadata ->> 'ledger' as key
       from emails e join email_contents c on c.email_id = e.id where e.organization_id = $1`,
    [ledger.organizationId],
  );
  const accepted = acceptedByProvider(plant);
  const stored = new Map<string | null, StoredEmail[]>(ledger.sends.map(({ key }) => [key, []]));
  for (const row of rows) stored.get(row.key)?.push(toStoredEmail(row, accepted, plant.announcements.of(row.id)));
  return ledger.sends.map(({ key, answer }) => ({
    key,
    answered: answer !== undefined,
    emails: stored.get(key) ?? [],
  }));
}

function toStoredEmail(
  row: EmailRow,
  accepted: ReadonlyMap<string, number>,
  announcements: readonly string[],
): StoredEmail {
  return {
    id: row.id,
    status: row.status,
    possibleDuplicate: row.possible_duplicate,
    outcomeUnknown: row.last_error?.startsWith('Delivery outcome unknown') ?? false,
    deliveries: accepted.get(row.id) ?? 0,
    announcements,
  };
}

/** How often the providers' stubs have accepted each email. */
function acceptedByProvider({ smtp, sendGrid }: Plant): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { emailId } of [...smtp.messages, ...sendGrid.messages]) {
    counts.set(emailId, (counts.get(emailId) ?? 0) + 1);
  }
  return counts;
}

function storedEvents({ database }: Plant, { organizationId }: Ledger): Promise<string[]> {
  return database
    .query<{ id: string }>(
      `select ev.id from events ev join emails e on e.id = ev.email_id
        where e.organization_id = $1 and ev.ordinal = 1 and ev.type <> 'sent'`,
      [organizationId],
    )
    .then((rows) => rows.map(({ id }) => id));
}

async function readEngagement(plant: Plant, ledger: Ledger): Promise<EngagementEntries> {
  // In one statement, so that a flush in between cannot make the sums differ from the rows.
  const [row] = await plant.database.query<{ stored: string[] } & Record<string, number>>(
    `select
       (select coalesce(array_agg(ev.id::text), '{}') from events ev join emails e on e.id = ev.email_id
         where e.organization_id = $1 and ev.ordinal = 1 and ev.type <> 'sent') as stored,
       (select coalesce(sum(opens + clicks), 0)::int from emails where organization_id = $1) as emails,
       (select coalesce(sum(opens + clicks), 0)::int from contacts where organization_id = $1) as contacts,
       (select coalesce(sum(t.opens + t.clicks), 0)::int from campaign_totals t
         join campaigns c on c.id = t.campaign_id where c.organization_id = $1) as campaigns`,
    [ledger.organizationId],
  );
  const { stored, ...counters } = row!;
  return {
    answered: ledger.answeredEvents,
    unanswered: ledger.unansweredHits,
    stored,
    counters,
    destroyed: ledger.destroyedEvents,
  };
}

function misconduct({ all }: Plant): string[] {
  return all.flatMap((service) => {
    service.measure();
    const { name, unexpectedEnds, log, peakMemoryMb } = service;
    const leaks = log.leaks.map((canary) => `${name} printed ${canary}`);
    const growth = peakMemoryMb > MEMORY_LIMIT_MB ? [`${name} took ${peakMemoryMb} MB`] : [];
    return [...unexpectedEnds, ...leaks, ...growth];
  });
}

import { plainArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import { historyKey, type AddressHistory } from './address-history.js';
import { recordKey } from './apply-reports.js';
import { FACT_RULES } from './fact-rules.js';
import { factsThatCount } from './own-facts.js';
import { factBits, type RecipientRecord } from './recipient-state.js';
import type { Report } from './reported-emails.js';

/** For each recipient of an email: several times as many as the deferrals of a provider that retries for days. */
const REPORTS_PER_RECIPIENT = 100;
/** Also bounds what a flush reads to count them. */
const REPORTS_PER_EMAIL = 1_000;

/** At most as many as matter. $1 emails, $2 how many matter. */
const COUNT_STORED = `
select r.email_id as "emailId", (select count(*)::int from (
    select from delivery_events d where d.email_id = r.email_id limit r.most) stored) as stored
from unnest($1::uuid[], $2::int[]) as r (email_id, most)`;

interface Known {
  /** Stored records by `recordKey`. */
  readonly records: ReadonlyMap<string, RecipientRecord>;
  readonly histories: ReadonlyMap<string, AddressHistory>;
}

/**
 * Separates the reports that are beyond the limit of their email. Anybody who holds a signing key or an unsubscribe
 * link can report for ever, and each report is a row. Only repeats are beyond it: the first report of a fact, and an
 * unsubscription that takes effect, are stored in any case. So a recipient who changes their mind too often ends up
 * unsubscribed. The locks of the emails make the limit exact.
 */
export async function boundReports(
  sql: Sql,
  reports: readonly Report[],
  known: Known,
): Promise<{ within: readonly Report[]; beyond: readonly Report[] }> {
  const repeated = new Map<string, number>();
  const all = new KnownFacts(known);
  for (const report of reports) {
    if (!all.isNew(report)) repeated.set(report.email.id, limitOf(report));
    all.add(report);
  }
  // Hardly any email has one, so counting costs nothing where nothing is repeated.
  if (repeated.size === 0) return { within: reports, beyond: [] };
  const rows = await sql.prepared<{ emailId: string; stored: number }>('count-stored-reports', COUNT_STORED, [
    plainArray([...repeated.keys()]),
    plainArray([...repeated.values()]),
  ]);
  const stored = new Map(rows.map((row) => [row.emailId, row.stored]));
  const facts = new KnownFacts(known);
  const [within, beyond]: [Report[], Report[]] = [[], []];
  for (const report of reports) {
    const count = stored.get(report.email.id) ?? 0;
    if (count >= limitOf(report) && !facts.isNew(report)) {
      beyond.push(report);
    } else {
      within.push(report);
      facts.add(report);
      stored.set(report.email.id, count + 1);
    }
  }
  return { within, beyond };
}

function limitOf({ email }: Report): number {
  return Math.min(REPORTS_PER_EMAIL, REPORTS_PER_RECIPIENT * email.addresses.length);
}

/** What is known about recipients after each report of a batch. */
class KnownFacts {
  private readonly facts = new Map<string, number>();
  /** IDs of the latest decisions about the subscription. */
  private readonly decisions = new Map<string, string>();

  constructor(private readonly known: Known) {}

  /** True if the report states what no earlier one did. A resubscription only takes something back. */
  isNew(report: Report): boolean {
    const { fact, bounce } = report.event;
    const bits = factBits(fact, bounce);
    if ((this.factsOf(report) & bits) === bits) return false;
    return fact !== 'unsubscribed' || this.isLatest(report);
  }

  add(report: Report): void {
    const { fact, bounce, id } = report.event;
    const decides = fact === 'unsubscribed' || fact === 'resubscribed';
    if (decides && !this.isLatest(report)) return;
    const key = keyOf(report);
    const before = this.factsOf(report);
    const after = fact === 'resubscribed' ? before & ~FACT_RULES.unsubscribed.bit : before | factBits(fact, bounce);
    if (after !== before) this.facts.set(key, after);
    if (decides) this.decisions.set(key, id);
  }

  private factsOf(report: Report): number {
    const key = keyOf(report);
    return this.facts.get(key) ?? factsThatCount(this.known.records.get(key)?.facts ?? 0, report.email.isOwn);
  }

  private isLatest(report: Report): boolean {
    const { email, event, addressKey } = report;
    const history = this.known.histories.get(historyKey(email.organizationId, addressKey));
    return event.id > (this.decisions.get(keyOf(report)) ?? history?.subscriptionOf.get(email.id) ?? '');
  }
}

function keyOf({ email, address }: Report): string {
  return recordKey(email.id, address);
}

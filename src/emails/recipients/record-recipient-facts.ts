import { appendStats } from '../../campaigns/stats/append-stats.js';
import type { Sql } from '../../platform/database/database.js';
import type { LiveReport } from '../../events/live/live-message.js';
import type { RecipientEvent } from '../../events/recipient-event.js';
import { countSending } from '../../organizations/guard/count-sending.js';
import { deleteSuppressions } from '../../suppressions/delete-suppressions.js';
import { insertSuppressions } from '../../suppressions/insert-suppressions.js';
import { guardedReports } from './guarded-reports.js';
import { markOwnFacts } from './own-facts.js';
import { readHistories } from './address-history.js';
import { applyReports, suppressionKey, type Consequences } from './apply-reports.js';
import {
  countReports,
  insertRecipientDeliveries,
  insertReports,
  readRecords,
  storedIds,
  storeRecords,
  type RecipientDeliveries,
} from './recipient-statements.js';
import { lockReportedEmails, resolveReports, type DropReason, type Report } from './reported-emails.js';
import { boundReports } from './report-limit.js';
import { boundSharedReports, withoutLeftOut } from './shared-reports.js';
import { recordSenderBounces } from './sender-bounces.js';
import { subscriptionNews } from './subscription-news.js';

/** Its webhook deliveries are to be woken after the commit. */
export interface RecordedFacts extends RecipientDeliveries {
  /** Events stored for the first time. */
  readonly stored: readonly RecipientEvent[];
  /** Events that were already stored. */
  readonly repeated: readonly RecipientEvent[];
  readonly dropped: readonly { readonly event: RecipientEvent; readonly reason: DropReason }[];
  /** Live messages about these emails, to publish after the commit. */
  readonly live: readonly LiveReport[];
}

export interface RecordingOptions {
  /** Soft bounces in a row that suppress an address, SOFT_BOUNCE_LIMIT. */
  readonly softBounceLimit: number;
  /** `refused` for recipients that are left out before the email reaches a provider. */
  readonly handOver?: 'accepted' | 'refused';
  /**
   * True when a repeated event is improbable: it then raises a unique violation instead of a query before each insert.
   */
  readonly expectsNew?: boolean;
}

const NO_DELIVERIES: RecipientDeliveries = { webhookDeliveries: [], fullEndpoints: 0 };

/**
 * Stores reports about recipients and everything that follows from them: states, counters, suppressions and webhook
 * deliveries. A repeated report changes nothing, and neither do those beyond the limit of an email. Locks the
 * emails, the addresses of soft bounces and unsubscriptions, and then contacts; the caller may already hold the
 * locks of the emails.
 */
export async function recordRecipientFacts(
  sql: Sql,
  events: readonly RecipientEvent[],
  { softBounceLimit, handOver = 'accepted', expectsNew = false }: RecordingOptions,
): Promise<RecordedFacts> {
  const emails = await lockReportedEmails(sql, events);
  const { reports, dropped } = resolveReports(events, emails);
  const { fresh: unstored, repeated } = expectsNew
    ? { fresh: reports, repeated: [] }
    : await withoutStored(sql, reports);
  if (unstored.length === 0) return { stored: [], repeated, dropped, ...NO_DELIVERIES, live: [] };

  const records = await readRecords(sql, [...new Set(unstored.map(({ email }) => email.id))]);
  const { received, notReceived } = withoutLeftOut(unstored, records);
  const believed = boundSharedReports(received, records);
  const histories = await readHistories(sql, believed, softBounceLimit);
  // Our own reports decide the hand-over, and there is one for each attempt at most.
  const { within: fresh, beyond } =
    handOver === 'refused'
      ? { within: believed, beyond: [] }
      : await boundReports(sql, believed, { records, histories });
  const tooMany = new Set(beyond.map(({ event }) => event.id));
  const reported = received.map(({ event }) => event);
  const outcome = {
    stored: reported.filter(({ id }) => !tooMany.has(id)),
    repeated,
    dropped: [
      ...dropped,
      ...notReceived.map(({ event }) => ({ event, reason: 'unknown-recipient' as const })),
      ...reported.filter(({ id }) => tooMany.has(id)).map((event) => ({ event, reason: 'too-many' as const })),
    ],
  };
  if (fresh.length === 0) return { ...outcome, ...NO_DELIVERIES, live: [] };
  await insertReports(sql, fresh);
  const consequences = applyReports(fresh, { records, histories, softBounceLimit, handOver });
  markOwnFacts(consequences, fresh, records);
  await storeRecords(sql, consequences, handOver === 'refused');
  await countReports(sql, consequences);
  await appendStats(sql, consequences.hours);
  await countSending(sql, guardedReports(consequences, records));
  const changed = await storeSuppressions(sql, consequences);
  await recordSenderBounces(sql, fresh);
  const news = [...consequences.webhooks, ...subscriptionNews(consequences, changed)];
  return { ...outcome, ...(await insertRecipientDeliveries(sql, news)), live: fresh.flatMap(liveReportOf) };
}

function liveReportOf({ event: { fact }, email: { organizationId, id: emailId, campaignId } }: Report): LiveReport[] {
  return fact === 'noted' ? [] : [{ type: `email.${fact}`, organizationId, emailId, campaignId }];
}

async function withoutStored(
  sql: Sql,
  reports: readonly Report[],
): Promise<{ fresh: Report[]; repeated: RecipientEvent[] }> {
  const seen = new Set(await storedIds(sql, reports));
  const fresh: Report[] = [];
  const repeated: RecipientEvent[] = [];
  for (const report of reports) {
    if (seen.has(report.event.id)) repeated.push(report.event);
    else fresh.push(report);
    seen.add(report.event.id);
  }
  return { fresh, repeated };
}

/** @returns the keys of those that are new or were removed */
async function storeSuppressions(sql: Sql, { suppressions }: Consequences): Promise<ReadonlySet<string>> {
  const decisions = [...suppressions.values()];
  const added = await insertSuppressions(
    sql,
    decisions
      .filter(({ added }) => added)
      .map(({ reason, of: { email, address, event } }) => ({
        ...{ organizationId: email.organizationId, address, reason, emailId: email.id, note: event.reason ?? null },
      })),
  );
  const removed = await deleteSuppressions(
    sql,
    decisions
      .filter(({ added }) => !added)
      .map(({ reason, of: { email, addressKey } }) => ({ organizationId: email.organizationId, addressKey, reason })),
  );
  return new Set(
    [...added, ...removed].map(({ organizationId, addressKey, reason }) =>
      suppressionKey(organizationId, addressKey, reason),
    ),
  );
}

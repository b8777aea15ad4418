import { EVENT_STREAM } from '../../src/events/stream/stream-keys.js';
import { sentEventId } from '../../src/events/sent-event.js';
import type { Observations } from './observations.js';
import { readProviderRequests } from './provider-requests.js';
import type { ClientHistory } from './client-history.js';
import type { Testbed } from './testbed/testbed.js';
import { readStoredRows } from './stored-rows.js';

/** The webhook of one organization. */
export interface WebhookSubscription {
  readonly events: readonly string[];
  /** As returned when the webhook was created. */
  readonly secret: string;
}

/** Work of a scenario that has not ended yet. */
export interface Unsettled {
  readonly emails: number;
  readonly events: number;
  readonly webhooks: number;
  readonly tasks: number;
}

/** Collects what clients sent and received, what Postgres stores and what the stubs recorded. */
export async function collectObservations(
  testbed: Testbed,
  history: ClientHistory,
  subscription: WebhookSubscription,
): Promise<Observations> {
  const stored = await readStoredRows(testbed, history.organizationId);
  const ids = new Set(stored.emails.map(({ id }) => id));
  return {
    sends: history.sends,
    hits: history.hits,
    archives: history.archives,
    clientErrors: history.clientErrors,
    stored,
    providerRequests: readProviderRequests(testbed, ids),
    webhooks: testbed.deliveredWebhooks.of(history.organizationId, subscription.secret),
    subscribedEvents: subscription.events,
    unknownOutcomes: testbed.unknownOutcomes.count(ids),
    destroyed: history.destroyedEvents,
    processes: processViolations(testbed),
  };
}

interface EmailRow {
  id: string;
  status: string;
  sent_at: Date | null;
}

/** Counts emails without a final state, events that are not stored, pending webhooks and unfinished tasks. */
export async function countUnsettled({ database }: Testbed, history: ClientHistory): Promise<Unsettled> {
  const { organizationId, unfinishedTasks: tasks } = history;
  const emails = await database.query<EmailRow>('select id, status, sent_at from emails where organization_id = $1', [
    organizationId,
  ]);
  const stored = await database.query<{ id: string }>(STORED_EVENTS, [organizationId]);
  const ids = new Set(stored.map(({ id }) => id));
  const sent = emails.flatMap(({ id, status, sent_at: at }) => (status === 'sent' && at ? [sentEventId(id, at)] : []));
  const expected = [...history.acknowledgedEvents, ...sent].filter((id) => !history.destroyedEvents.has(id));
  const [row] = await database.query<{ webhooks: number; reports: number }>(WEBHOOKS_AND_REPORTS, [organizationId]);
  const unstoredReports = Math.max(0, history.acknowledgedReports - row!.reports);
  return {
    emails: emails.filter(({ status }) => !['sent', 'failed', 'canceled'].includes(status)).length,
    events: expected.filter((id) => !ids.has(id)).length + unstoredReports,
    webhooks: row!.webhooks,
    tasks,
  };
}

const STORED_EVENTS = `
select v.id from events v join emails e on e.id = v.email_id where e.organization_id = $1 and v.ordinal = 1`;

const WEBHOOKS_AND_REPORTS = `
select count(*)::int as webhooks,
       (select count(*)::int from delivery_events where organization_id = $1) as reports
  from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
 where w.organization_id = $1 and d.status = 'pending'`;

/** Entries that a flusher may still store, perhaps for the second time. */
export function countStreamEntries(testbed: Testbed): Promise<number> {
  return testbed.withRedis((redis) => redis.xlen(EVENT_STREAM));
}

function processViolations({ all }: Testbed): string[] {
  return all.flatMap((service) => {
    const { name, unexpectedExits, log } = service;
    return [...unexpectedExits, ...log.leaks.map((canary) => `${name} printed ${canary}`)];
  });
}

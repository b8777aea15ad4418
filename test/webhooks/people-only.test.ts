import type { Database } from '../../src/platform/database/database.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { flushBatch } from '../../src/events/ingest/flush-batch.js';
import type { EngagementEvent } from '../../src/events/engagement-event.js';
import { ALL_RULES_OFF } from '../../src/events/ingest/rules/hit.js';
import { codeOfVerdict } from '../../src/events/verdict.js';
import { sendMail } from '../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const WINDOWS = { ...ALL_RULES_OFF, ENGAGEMENT_BURST_MS: 2_000, ENGAGEMENT_CORROBORATED_MS: 45_000 };
const APPLE = codeOfVerdict({ class: 'prefetch', reason: 'user-agent:apple-mpp', certainty: 'certain' });
const GMAIL = codeOfVerdict({ class: 'proxy', reason: 'user-agent:google-image-proxy', certainty: 'certain' });
const BURST = codeOfVerdict({ class: 'scanner', reason: 'timing:burst', certainty: 'probable' });
const START = Date.now() - 60_000;

let openDatabase: OpenTestDatabase;
let database: Database;
let trackingId: string;

beforeEach(async () => {
  openDatabase = await openTestDatabase();
  ({ database } = openDatabase);
  const { organizationId, emails } = await sendMail(database, [1]);
  trackingId = emails[0]!.trackingId;
  for (const [name, people] of [
    ['everything', false],
    ['people', true],
  ] as const) {
    await database.query(
      `insert into webhook_endpoints (id, organization_id, url, events, people)
       values (gen_random_uuid(), $1, $2, '{EMAIL_OPENED,EMAIL_CLICKED}', $3)`,
      [organizationId, `https://${name}.example/`, people],
    );
  }
});

afterEach(() => openDatabase.close());

const opened = (verdict: number): EngagementEvent => ({
  ...{ type: 'opened', id: uuidV7(START), emailTrackingId: trackingId, verdict },
});
const clicked = (linkPosition: number): EngagementEvent => ({
  ...{ type: 'clicked', id: uuidV7(START + linkPosition), emailTrackingId: trackingId, linkPosition },
  url: 'https://shop.example/',
});
const flush = (...events: EngagementEvent[]) =>
  flushBatch(
    database,
    events.map((event) => ({ event, streamEntryId: '1-1' })),
    WINDOWS,
  );

/** The deliveries of an endpoint: verdict, and the seconds until they are due. */
const deliveries = (name: string) =>
  database.query<{ verdict: number; wait: number }>(
    `select d.verdict, extract(epoch from d.next_attempt_at - date_trunc('milliseconds', d.created_at))::int as wait
       from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
      where w.url = $1 order by d.verdict`,
    [`https://${name}.example/`],
  );

describe('an endpoint for people', () => {
  it('gets no delivery for a machine, and waits as long as a verdict may change', async () => {
    const { webhookDeliveries } = await flush(opened(0), opened(APPLE), opened(GMAIL));
    expect(await deliveries('everything')).toEqual([0, GMAIL, APPLE].map((verdict) => ({ verdict, wait: 0 })));
    expect(await deliveries('people')).toEqual([
      { verdict: 0, wait: 45 },
      { verdict: GMAIL, wait: 0 },
    ]);
    expect(webhookDeliveries).toHaveLength(4);
  });

  it('loses a delivery without attempts when its event is relabelled', async () => {
    await flush(clicked(0), clicked(1));
    expect(await deliveries('people')).toHaveLength(2);
    await database.query(
      `update webhook_deliveries set attempts = 1
        where link_position = 0 and endpoint_id = (select id from webhook_endpoints where people)`,
    );
    await flush(clicked(2));
    expect(await deliveries('people')).toEqual([{ verdict: 0, wait: 45 }]);
    expect(await deliveries('everything')).toEqual([0, 0, BURST].map((verdict) => ({ verdict, wait: 0 })));
  });
});

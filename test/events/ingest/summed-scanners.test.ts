import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { PlanLimits } from '../../../src/platform/config/plan-limits.js';
import type { Database } from '../../../src/platform/database/database.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { EventBudget } from '../../../src/events/ingest/event-budget.js';
import { flushBatch } from '../../../src/events/ingest/flush-batch.js';
import { ALL_RULES_OFF, type RuleWindows } from '../../../src/events/ingest/rules/hit.js';
import { sendMail, summed } from '../../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const WINDOWS: RuleWindows = { ...ALL_RULES_OFF, ENGAGEMENT_INSTANT_MS: 10_000, ENGAGEMENT_BURST_MS: 2_000 };
/** The start of a minute, so that all hits right after it are in one. */
const SENT_AT = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
const LATER = 300_000;

let openDatabase: OpenTestDatabase;
let database: Database;
let email: { readonly id: string; readonly trackingId: string };

beforeEach(async () => {
  openDatabase = await openTestDatabase();
  ({ database } = openDatabase);
  email = (await sendMail(database, [1])).emails[0]!;
  await database.query('update emails set sent_at = $2, attempts = 1 where id = $1', [email.id, new Date(SENT_AT)]);
});

afterEach(() => openDatabase.close());

/** @param at milliseconds after the hand-over */
function click(linkPosition: number, at: number): EngagementEvent {
  const url = `https://shop.example/${linkPosition}`;
  return { type: 'clicked', id: uuidV7(SENT_AT + at), emailTrackingId: email.trackingId, linkPosition, url };
}

/** @param clicks of the links by their positions */
const sum = (at: number, opens: number, ...clicks: number[]): EngagementEvent =>
  summed(email.trackingId, opens, clicks, SENT_AT + at);

async function flush(events: EngagementEvent[], windows = WINDOWS, budget?: EventBudget): Promise<void> {
  const batch = events.map((event) => ({ event, streamEntryId: '1-1' }));
  await flushBatch(database, batch, windows, budget);
}

/** Opens, clicks, and those of machines, as the email, its links, its campaign and its classes count them. */
async function counted() {
  const counts = `sum(opens)::int as opens, sum(clicks)::int as clicks, sum(machine_opens)::int as "machineOpens",
    sum(machine_clicks)::int as "machineClicks"`;
  const [row] = await database.query<{ clicks: number; machineClicks: number }>(`select ${counts} from emails`);
  const { clicks, machineClicks } = row!;
  const [others] = await database.query(
    `select (select sum(machine_clicks)::int from email_link_clicks) as links,
            (select sum(machine_clicks)::int from campaign_totals) as campaign,
            (select coalesce(sum(hits), 0)::int from email_machine_hits) as classes,
            (select sum(unique_clicks)::int from campaign_totals) as uniques`,
  );
  const uniques = clicks > machineClicks ? 1 : 0;
  expect(others).toEqual({ links: machineClicks, campaign: machineClicks, classes: machineClicks, uniques });
  return row;
}

describe('clicks that are only counted', () => {
  it('are those of a scanner if they are on three different links in a second', async () => {
    await flush([sum(LATER, 5, 1, 2, 3)]);
    expect(await counted()).toEqual({ opens: 5, clicks: 6, machineOpens: 0, machineClicks: 6 });
  });

  it('are those of people if they are on fewer links, or too far from the others', async () => {
    await flush([sum(LATER, 0, 4, 4), click(2, LATER + 2_100)]);
    expect(await counted()).toMatchObject({ clicks: 9, machineClicks: 0 });
  });

  it('belong to a burst with a stored click right before them, which then counts as that of a scanner', async () => {
    await flush([click(2, LATER)]);
    await flush([sum(LATER + 500, 0, 1, 1)]);
    expect(await counted()).toMatchObject({ clicks: 3, machineClicks: 3 });
  });

  it('count once as those of machines if the edge has found some of them', async () => {
    const one = sum(LATER, 0, 2, 1, 1);
    const machines = [{ class: 'scanner' as const, linkPosition: 0, hits: 1 }];
    await flush([{ ...one, machines } as EngagementEvent]);
    await flush([{ ...one, machines } as EngagementEvent]);
    expect(await counted()).toMatchObject({ clicks: 4, machineClicks: 4 });
  });

  it('are those of a scanner right after the hand-over; opens may be those of a proxy and stay', async () => {
    await flush([sum(9_000, 3, 2), sum(LATER, 0, 0, 1)]);
    expect(await counted()).toEqual({ opens: 3, clicks: 3, machineOpens: 0, machineClicks: 2 });
  });

  it('are in no burst whose window is shorter than a sum', async () => {
    await flush([sum(LATER, 0, 1, 1, 1)], { ...WINDOWS, ENGAGEMENT_BURST_MS: 900 });
    expect(await counted()).toMatchObject({ clicks: 3, machineClicks: 0 });
  });

  it('beyond the limit of the plan are in the burst of the stored ones', async () => {
    const budget = new EventBudget(new PlanLimits(new Map(), 4), { warn: async () => {} });
    await flush(
      Array.from({ length: 8 }, (_, at) => click(at, LATER + at)),
      WINDOWS,
      budget,
    );
    await flush([click(8, LATER + 8)], WINDOWS, budget);
    expect(await counted()).toMatchObject({ clicks: 9, machineClicks: 9 });
  });
});

import { readStats } from '../../src/campaigns/stats/read-stats.js';
import { insertOrganization } from '../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const HOUR_MS = 3_600_000;

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase()));
afterAll(() => open?.close());

it('figures that are not folded yet count from the first hour of the range to the last', async () => {
  const { database } = open;
  const organization = await insertOrganization(database);
  const from = Date.UTC(2026, 0, 5, 8);
  for (const hour of [-1, 0, 1, 2])
    await database.query('insert into stat_deltas (organization_id, hour, emails) values ($1, $2, $3)', [
      organization,
      new Date(from + hour * HOUR_MS),
      10 + hour,
    ]);
  const range = { interval: 'hour', starts: [from, from + HOUR_MS], to: from + 2 * HOUR_MS } as const;
  const { points, totals } = await readStats(database, organization, undefined, range);
  expect([points.map(({ emails }) => emails), totals.emails]).toEqual([[10, 11], 21]);
});

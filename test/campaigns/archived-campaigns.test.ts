import { jest } from '@jest/globals';
import { CampaignReports } from '../../src/campaigns/campaign-reports.js';
import type { Database } from '../../src/platform/database/database.js';
import { insertOrganization } from '../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const OWN = 20_000;
const OTHERS = 20_000;
const LIMIT = 50;
/** A search reads so many names at once. */
const SEARCHED = 2_000;

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

let open: OpenTestDatabase;
let database: Database;
let organizationId: string;
beforeAll(async () => {
  open = await openTestDatabase(2);
  ({ database } = open);
  organizationId = await insertArchived(OWN, '00000000-0000-7000-8000-');
  await insertArchived(OTHERS, '00000000-0000-7000-9000-');
  await database.query('vacuum analyze campaigns');
});
afterAll(() => open?.close());

async function insertArchived(count: number, ids: string): Promise<string> {
  const id = await insertOrganization(database);
  await database.query(
    `insert into campaigns (id, organization_id, name, archived_at)
     select ($2 || lpad(n::text, 12, '0'))::uuid, $1, 'Campaign ' || n, now() from generate_series(1, $3::integer) n`,
    [id, ids, count],
  );
  return id;
}

function readRows({ Plans = [], ...node }: PlanNode): number {
  const own = node['Relation Name'] === 'campaigns' ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) : 0;
  return Plans.reduce((sum, plan) => sum + readRows(plan), own);
}

it.each([
  ['', LIMIT + 1],
  ['campaign', SEARCHED + 2 * (LIMIT + 1)],
])(
  'a page of the list for %j reads few campaigns, however many the organization and others have',
  async (search, most) => {
    const queries = jest.spyOn(database, 'query');
    const list = await new CampaignReports(database).list(
      organizationId,
      { search, isArchived: true },
      { limit: LIMIT },
    );
    const made = queries.mock.calls.filter(([sql]) => sql.includes('campaigns'));
    queries.mockRestore();
    expect(list.items).toHaveLength(LIMIT);
    let rows = 0;
    for (const [sql, values] of made) {
      const [row] = await database.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
        `explain (analyze, format json) ${sql}`,
        values,
      );
      rows += readRows(row!['QUERY PLAN'][0]!.Plan);
    }
    expect(rows).toBeLessThanOrEqual(most);
  },
);

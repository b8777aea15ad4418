import { ACCEPT } from '../../../src/emails/accept/acceptance-statement.js';
import { acceptanceValues } from '../../../src/emails/accept/acceptance-values.js';
import { insertOrganization } from '../../support/backlog.js';
import { newEmail } from '../../support/new-email.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const [EMAILS, RECIPIENTS] = [40, 10];

interface PlanNode {
  readonly 'CTE Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase()));
afterAll(() => open?.close());

const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const rowsRead = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];

it('accepting a batch reads its recipients a few times, not once per email', async () => {
  const { database } = open;
  const organizationId = await insertOrganization(database);
  const emails = Array.from({ length: EMAILS }, (_, email) => {
    const to = Array.from({ length: RECIPIENTS }, (__, place) => ({ address: `r${email}-${place}@example.com` }));
    return { email: newEmail({ organizationId, campaignId: null, recipients: { to, cc: [], bcc: [] } }) };
  });
  const [explained] = await database.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `explain (analyze, format json) ${ACCEPT.text}`,
    ACCEPT.inOrder(acceptanceValues(emails)),
  );
  const scans = nodesOf(explained!['QUERY PLAN'][0]!.Plan).filter((node) => node['CTE Name'] === 'member');
  const read = scans.reduce((sum, node) => sum + rowsRead(node), 0);
  expect(read).toBeGreaterThanOrEqual(EMAILS * RECIPIENTS);
  expect(read).toBeLessThanOrEqual(5 * EMAILS * RECIPIENTS);
  const stored = await database.query(
    `select array(select c.address_key from unnest(e.contact_ids) with ordinality as t (id, place)
                    join contacts c on c.id = t.id order by t.place) as addresses
       from emails e order by e.id`,
  );
  const ordered = [...emails].sort((one, other) => (one.email.id < other.email.id ? -1 : 1));
  expect(stored).toEqual(
    ordered.map(({ email }) => ({ addresses: email.recipients.to.map(({ address }) => address) })),
  );
});

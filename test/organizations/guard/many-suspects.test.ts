import { SendingGuards } from '../../../src/organizations/guard/sending-guards.js';
import type { Database } from '../../../src/platform/database/database.js';

const ORGANIZATIONS = 200;
const COUNTS_EACH = 5;

type Parts = ConstructorParameters<typeof SendingGuards>;

it('the counts of very many organizations are each read a few times, not once for every organization', async () => {
  let reads = 0;
  const rows = Array.from({ length: ORGANIZATIONS * COUNTS_EACH }, (_, place) => ({
    get organizationId(): string {
      reads++;
      return `organization ${place % ORGANIZATIONS}`;
    },
    ...{ domain: null, hours: 1, sent: 100, bounced: 0, complained: 0 },
  }));
  const query = async (sql: string): Promise<unknown[]> => (sql.includes('grouping sets') ? rows : []);
  const limits = { GUARD_MIN_SENT: 10 };
  const unused = {} as never;
  const guards = new SendingGuards({ query } as unknown as Database, limits as Parts[1], unused, unused, unused);
  await guards.evaluate();
  expect(reads).toBeLessThanOrEqual(4 * rows.length);
});

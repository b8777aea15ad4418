import type { Sql } from '../../src/platform/database/database.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

/** Connections of the API process. */
const CONNECTIONS = 4;

let service: TestService;
let held: TestClient;
let other: TestClient;
let made = 0;

beforeAll(async () => {
  const environment = { ROLES: 'api', DATABASE_POOL_SIZE: String(CONNECTIONS) };
  service = await TestService.start({ environment });
});
beforeEach(async () => {
  [held, other] = await Promise.all([service.organization(), service.organization()]);
});
afterAll(() => service?.stop());

const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', textContent: 'x', campaignId: 'Spring' };
const send = (client: TestClient, fields: object = {}) =>
  client.post('/api/send', { ...email, ...fields }, { prefer: 'respond-async' });

interface Lists {
  readonly emails: { id: string }[];
  readonly campaigns: { id: string }[];
}
const firstOf = async (list: keyof Lists): Promise<string> => (await held.get<Lists>(`/api/${list}`)).body[list][0]!.id;

type Change = () => Promise<ApiResponse<unknown>>;

it.each<[string, string, () => Promise<Change>]>([
  [
    'Archives',
    'campaigns where organization_id = $1',
    async () => {
      const id = await firstOf('campaigns');
      return () => held.post(`/api/campaigns/${id}/archive`);
    },
  ],
  [
    'New campaigns',
    'organizations where id = $1',
    () => Promise.resolve(() => held.post('/api/campaigns', { name: `New ${(made += 1)}` })),
  ],
  [
    'Erasures',
    'contacts where organization_id = $1',
    () => Promise.resolve(() => held.delete('/api/contacts/ada@example.com')),
  ],
  [
    'Cancellations',
    'pending_emails where organization_id = $1',
    async () => {
      const id = await firstOf('emails');
      return () => held.post(`/api/emails/${id}/cancel`);
    },
  ],
  [
    'Attachments',
    'attachment_contents where organization_id = $1',
    async () => {
      const withFile = () => send(held, { attachments: [{ filename: 'a', content: 'AAAA' }] });
      expect((await withFile()).status).toBe(202);
      return withFile;
    },
  ],
  [
    'Changes of a draft',
    'broadcasts where organization_id = $1',
    async () => {
      const draft = { name: 'Spring', from: 'a@acme.example', subject: 'S', textContent: 'x' };
      const { body } = await held.post('/api/broadcasts', draft);
      return () => held.put(`/api/broadcasts/${String(body.id)}`, draft);
    },
  ],
])(
  '%s of one organization that wait for a lock leave connections to other organizations',
  async (_, rows, changeOf) => {
    expect((await send(held, { sendAt: new Date(Date.now() + 3_600_000).toISOString() })).status).toBe(202);
    const change = await changeOf();
    const lock = (sql: Sql) => sql.query(`select from ${rows} for update`, [held.organizationId]);
    const changes: Promise<ApiResponse<unknown>>[] = [];
    await whileLocked(service.database, lock, async () => {
      for (let n = 1; n <= 2 * CONNECTIONS; n++) changes.push(change());
      await lockedOut(service.database, 1);
      for (let n = 1; n <= 10; n++) expect((await send(other)).status).toBe(202);
    });
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.some((status) => status < 300)).toBe(true);
    expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
  },
);

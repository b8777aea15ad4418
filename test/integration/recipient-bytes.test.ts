import type { UsageView } from '../../src/organizations/budgets/usage.js';
import { ROW_BYTES } from '../../src/organizations/budgets/budget.js';
import { draft } from '../support/broadcast-client.js';
import { TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start({ environment: { ROLES: 'api' } })));
afterAll(() => service?.stop());

it('Stored bytes count what the stored recipients of a batch have, whatever the repeated ones have', async () => {
  const client = await service.organization('free');
  const used = async () => (await client.get<UsageView>('/api/usage')).body.budgets.storedBytes.used;
  const { body } = await client.post<{ id: string }>('/api/broadcasts', draft);
  const add = (recipients: object[]) => client.post(`/api/broadcasts/${body.id}/recipients`, { recipients });
  const known = Array.from({ length: 98 }, (_, n) => ({ to: `r${n}@example.com` }));
  await client.post('/api/suppressions', { addresses: ['out@example.com'] });
  await add(known);
  const before = await used();
  const variables = { text: 'я'.repeat(4_000) };
  const fresh = [
    { to: 'Ада <ada@example.com>', variables },
    { to: 'out@example.com', variables, metadata: variables },
  ];
  const again = { to: 'ADA@example.com', variables, metadata: variables };
  expect((await add([...known, ...fresh, again])).body).toMatchObject({ added: 1, suppressed: 1, repeated: 99 });
  const bytes = [...fresh.map(({ to }) => to), ...Array.from({ length: 3 }, () => JSON.stringify(variables))];
  expect(await used()).toBe(before + 2 * ROW_BYTES + Buffer.byteLength(bytes.join('')));
});

import { ErasureBench } from './erasure-bench.js';

let bench: ErasureBench;
const jane = 'jane@example.com';

beforeAll(async () => void (bench = await ErasureBench.start()));
afterAll(() => bench?.stop());

const status = async (path: string, client = bench.client): Promise<number> => (await client.get(path)).status;
const pathOf = (address: string): string => `/api/contacts/${encodeURIComponent(address)}`;

describe('GET /api/contacts/:email/export', () => {
  it('gives all of it as JSON, without the other recipients', async () => {
    await bench.send({ to: [jane, 'bob@example.com'], subject: 'Mine', metadata: { order: 7 } });
    const { status: found, body } = await bench.client.get<{ emails: object[]; contact: object }>(
      `${pathOf(jane)}/export`,
    );
    expect(found).toBe(200);
    expect(body.contact).toMatchObject({ email: jane, emails: 1 });
    expect(body.emails).toEqual([expect.objectContaining({ subject: 'Mine', to: [jane], metadata: { order: 7 } })]);
    expect(JSON.stringify(body)).not.toContain('bob@example.com');
    expect(await status(`${pathOf('nobody@example.com')}/export`)).toBe(404);
    expect(await status(`${pathOf(jane)}/export`, await bench.service.organization())).toBe(404);
  });
});

import type { EmailSummary } from '../../src/emails/read/email-list.js';
import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

async function send(messages: readonly { to: string; tags?: string[] }[]): Promise<string[]> {
  const emails = messages.map((message) => ({
    ...{ from: 'ada@acme.example', subject: 'S', textContent: 'x' },
    ...message,
  }));
  const { status, body } = await client.post<{ emails: { id: string }[] }>('/api/send/batch', { emails });
  expect(status).toBe(202);
  return body.emails.map(({ id }) => id);
}

async function search(query: string): Promise<string[]> {
  const found: string[] = [];
  for (let path: string | undefined = `/api/emails?${query}`, pages = 0; path !== undefined; pages++) {
    const { body, headers } = await client.get<{ emails: EmailSummary[] }>(path);
    found.push(...body.emails.map(({ id }) => id));
    path = nextPage(headers);
    if (pages > 60) throw new Error('The search does not end');
  }
  return found;
}

it('finds each email that a filter leaves of many to some of the recipients', async () => {
  const tags = ['kept'];
  // Each page considers some emails to each of the hundred contacts: fewer than go to the first two.
  const toFew = ['ann', 'bob'].flatMap((name, index) =>
    Array.from({ length: 120 }, (_, n) => ({ to: `needle-${name}@example.com`, ...(n % 50 === index && { tags }) })),
  );
  const sentToOthers = await send(
    Array.from({ length: 98 }, (_, n) => ({ to: `needle-${n}@example.com`, ...(n % 40 === 0 && { tags }) })),
  );
  const sentToFew = await send(toFew);
  const kept = [
    ...sentToOthers.filter((_, n) => n % 40 === 0),
    ...sentToFew.filter((_, n) => toFew[n]!.tags !== undefined),
  ];
  for (const limit of [1, 3, 20, 1000])
    expect([limit, await search(`search=needle-&tag=kept&limit=${limit}`)]).toEqual([limit, kept.sort().reverse()]);
});

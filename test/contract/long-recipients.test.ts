import type { BroadcastRecipientView } from '../../src/broadcasts/broadcast-content.js';
import { BroadcastClient } from '../support/broadcast-client.js';
import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';

/** An object of nearly 10,000 bytes as JSON, which takes twenty times as much memory. */
const LONG = { text: 'x'.repeat(100), items: Array.from({ length: 3_200 }, () => ({})) };
const RECIPIENTS = 250;
const MAX_BODY = 1_500_000;

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

it('a page of recipients ends early when their variables and metadata are long, and the next one continues', async () => {
  const id = await new BroadcastClient(client).create();
  const addresses = Array.from({ length: RECIPIENTS }, (_, n) => `reader${String(n).padStart(3, '0')}@example.com`);
  const lines = addresses.map((to) => JSON.stringify({ to, variables: LONG, metadata: LONG }));
  const uploaded = await client.request(`/api/broadcasts/${id}/recipients`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  expect(uploaded.body).toMatchObject({ added: RECIPIENTS });
  const listed: string[] = [];
  let path: string | undefined = `/api/broadcasts/${id}/recipients?limit=1000`;
  let pages = 0;
  for (; path !== undefined; pages++) {
    const { body, headers, text }: Awaited<ReturnType<typeof page>> = await page(path);
    expect(text.length).toBeLessThan(MAX_BODY);
    listed.push(...body.recipients.map(({ to }) => to));
    path = nextPage(headers);
  }
  expect(listed).toEqual(addresses);
  expect(pages).toBeLessThan(10);
});

async function page(path: string) {
  const response = await fetch(service.address + path.replace(/^https?:\/\/[^/]+/, ''), {
    headers: { 'x-api-key': client.apiKey },
  });
  const text = await response.text();
  return { headers: response.headers, text, body: JSON.parse(text) as { recipients: BroadcastRecipientView[] } };
}

import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';

const EMAILS = 60;
const MAX_BODY = 700_000;

let service: TestService;
let client: TestClient;
let ids: string[];

/** Fifty recipients, who take 27 KB. */
function recipientsOf(email: number): string[] {
  const domain = ['b', 'c', 'd'].map((letter) => letter.repeat(55)).join('.');
  return Array.from({ length: 50 }, (_, n) => `${'N'.repeat(290)} <${'a'.repeat(60)}${n}@${domain}${email}.example>`);
}

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
  ids = [];
  for (let email = 0; email < EMAILS; email++) {
    const message = { to: recipientsOf(email), subject: 'Hello', htmlContent: '<p>Hello</p>', campaignId: 'News' };
    const { status, body } = await client.post<{ id: string }>('/api/emails', message);
    expect(status).toBe(200);
    ids.unshift(body.id);
  }
});
afterAll(() => service?.stop());

async function listed(path: string): Promise<string[]> {
  const found: string[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const { body, headers } = await client.get<{ emails: { id: string }[] }>(next);
    expect(JSON.stringify(body).length).toBeLessThan(MAX_BODY);
    found.push(...body.emails.map(({ id }) => id));
    next = nextPage(headers);
  }
  return found;
}

it.each(['/api/emails', '/api/emails?search=hello', '/api/emails?campaignId=News'])(
  'a page of %s ends early when the emails have many recipients with long names, and the next one continues',
  async (path) => {
    expect(await listed(path)).toEqual(ids);
  },
);

it('and so does a page of the emails of a campaign', async () => {
  const { body } = await client.get<{ campaigns: { id: string }[] }>('/api/campaigns');
  expect(await listed(`/api/campaigns/${body.campaigns[0]!.id}`)).toEqual(ids);
});

import type { ContactView } from '../../src/contacts/contact-views.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import type { SuppressionView } from '../../src/suppressions/suppression-view.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

async function search<Body>(path: string, part: string): Promise<Body> {
  return (await client.get<Body>(`${path}?search=${encodeURIComponent(part)}`)).body;
}

const STORED = 'info@mail.xn--mnchen-3ya.example';
const PARTS = ['münchen', 'MÜNCHEN.ex', 'l.münchen.example', 'info@mail.münchen', 'xn--mnchen-3ya', 'n--mnch'];

it('a search finds a domain of another alphabet by its letters and by its A-labels', async () => {
  const email = { from: 'ada@acme.example', subject: 'S', htmlContent: '<p>x</p>' };
  const { body: tracked } = await client.post('/api/emails', { ...email, to: 'info@mail.münchen.example' });
  await client.post('/api/emails', { ...email, to: 'info@mnchen.example' });
  await client.post('/api/suppressions', { addresses: ['info@mail.münchen.example', 'info@mnchen.example'] });
  for (const part of PARTS) {
    const contacts = await search<ContactView[]>('/api/contacts', part);
    const { suppressions } = await search<{ suppressions: SuppressionView[] }>('/api/suppressions', part);
    const { emails } = await search<{ emails: EmailSummary[] }>('/api/emails', part);
    expect([part, contacts, suppressions, emails]).toMatchObject([
      ...[part, [{ email: STORED }], [{ address: STORED }], [{ id: tracked.id }]],
    ]);
  }
  for (const part of ['zürich.example', 'ü'.repeat(1_000)]) {
    expect(await search('/api/contacts', part)).toEqual([]);
    expect(await search('/api/suppressions', part)).toEqual({ suppressions: [] });
  }
});

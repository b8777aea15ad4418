import type { ContactDetail } from '../../src/contacts/contact-views.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const email = { to: 'reader@example.com', subject: 'Tracked', htmlContent: '<p>x</p>' };
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

it('begins with the email that was sent last, even if 1,000 others were accepted after it', async () => {
  const scheduled = { ...email, from: 'Ada <ada@acme.example>', subject: 'Scheduled', sendAt: inAnHour() };
  const { body } = await client.post<SendResponse>('/api/send', scheduled);
  for (let batch = 0; batch < 20; batch++)
    await Promise.all(Array.from({ length: 50 }, () => client.post('/api/emails', email)));
  expect((await timeline()).map(({ subject }) => subject)).toEqual(Array(1_000).fill('Tracked'));
  await client.patch(`/api/emails/${body.emailTrackingId}`, { sendAt: new Date(0).toISOString() });
  const sent = await eventually(async () => {
    const entries = await timeline();
    return entries[0]?.subject === 'Scheduled' && entries;
  });
  expect(sent).toHaveLength(1_000);
  expect(sent.filter(({ subject }) => subject === 'Scheduled')).toHaveLength(1);
  const times = sent.map(({ timestamp }) => timestamp);
  expect(times).toEqual(times.toSorted().toReversed());
});

async function timeline(): Promise<ContactDetail['timeline']> {
  return (await client.get<ContactDetail>(`/api/contacts/${email.to}`)).body.timeline;
}

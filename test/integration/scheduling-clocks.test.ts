import { jest } from '@jest/globals';
import type { BroadcastView } from '../../src/broadcasts/broadcast-view.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { TestService, type TestClient } from '../support/service.js';

const DAY_MS = 86_400_000;
const AHEAD_DAYS = 3;
const environment = { ROLES: 'api', BUDGET_EMAILS_PER_DAY: 'free=1' };
const { now } = Date;
/** By the clocks of all other hosts. */
const inDays = (days: number): string => new Date(now() + days * DAY_MS).toISOString();

let service: TestService;
let ahead: TestService;
let here: TestClient;
/** The same organization at a process whose clock is ahead. */
let there: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment });
  jest.spyOn(Date, 'now').mockImplementation(() => now() + AHEAD_DAYS * DAY_MS);
  ahead = await TestService.start({ beside: service, environment });
});
beforeEach(async () => {
  here = await service.organization('free');
  there = ahead.client(here.organizationId, here.apiKey);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await ahead?.stop();
  await service?.stop();
});

function schedule(by: TestClient, sendAt: string) {
  const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', textContent: 'x', sendAt };
  return by.post<{ emailTrackingId: string }>('/api/send', email);
}

describe('An API process whose clock is ahead', () => {
  it('moves an email to the time that was asked for, instead of sending it at once', async () => {
    const { emailTrackingId } = (await schedule(here, inDays(5))).body;
    const sendAt = inDays(2);
    const { body } = await there.patch<EmailDetail>(`/api/emails/${emailTrackingId}`, { sendAt });
    expect([body.status, body.sendAt]).toEqual(['scheduled', sendAt]);
  });

  it('returns an email that it cancels before its time to the budget of its day', async () => {
    const sendAt = inDays(2);
    const { emailTrackingId } = (await schedule(there, sendAt)).body;
    expect((await there.post(`/api/emails/${emailTrackingId}/cancel`)).status).toBe(200);
    expect((await schedule(there, sendAt)).status).toBe(202);
  });

  it('begins a broadcast at the time of its draft', async () => {
    const broadcasts = new BroadcastClient(there);
    const sendAt = inDays(2);
    const id = await broadcasts.create({ sendAt });
    await broadcasts.add(id, people(1));
    const { body } = await there.post<BroadcastView>(`/api/broadcasts/${id}/send`);
    expect([body.status, body.sendAt]).toEqual(['scheduled', sendAt]);
  });
});

it('sends no scheduled email early when the clock of the host jumps ahead between two measurements', async () => {
  const sendAt = inDays(2);
  const { emailTrackingId } = (await schedule(here, sendAt)).body;
  expect(await here.get(`/api/emails/${emailTrackingId}`)).toMatchObject({ body: { status: 'scheduled', sendAt } });
});

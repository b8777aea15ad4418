import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import type { RecipientView } from '../../src/emails/recipients/recipient-views.js';
import { RECIPIENT_STATES } from '../../src/emails/recipients/recipient-state.js';
import { eraseWithoutWorker } from '../support/erase-without-worker.js';
import { TestService, type TestClient } from '../support/service.js';

/** Bits of `facts`: none, each one, two together, and those that are no states. */
const FACTS = [0, 1, 2, 4, 8, 16, 32, 4 | 2, 16 | 2, 64, 256];

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

/** An email with recipients in to, cc and bcc, of whom one may have a record. */
async function store(status: string, record?: { readonly state: string; readonly facts: number }): Promise<void> {
  const email = {
    ...{ from: 'ada@acme.example', to: ['one@example.com', 'two@example.com'], cc: 'three@example.com' },
    ...{ bcc: 'Four <four@example.com>', subject: 'S', textContent: 'x', campaignId: 'Spring' },
  };
  const { body } = await client.post<SendResponse>('/api/send', email, { prefer: 'respond-async' });
  const values = [body.emailTrackingId];
  await service.database.query('update emails set status = $2 where tracking_id = $1', [...values, status]);
  if (record === undefined) return;
  await service.database.query(
    `insert into recipient_deliveries (email_id, address, state, facts)
     select id, 'four@example.com', $2, $3 from emails where tracking_id = $1`,
    [...values, record.state, record.facts],
  );
}

async function statesOf(id: string): Promise<Record<string, number>> {
  const { body } = await client.get<{ recipients: RecipientView[] }>(`/api/emails/${id}`);
  const states: Record<string, number> = {};
  for (const { state } of body.recipients) states[state] = (states[state] ?? 0) + 1;
  return states;
}

describe('recipientStates of listed emails', () => {
  it('counts the recipients in each state that the email itself shows', async () => {
    for (const status of ['queued', 'sent', 'tracked', 'failed', 'canceled']) {
      await store(status);
      for (const state of ['accepted', 'deferred', 'refused']) {
        for (const facts of FACTS) await store(status, { state, facts });
      }
    }
    // Emails in a final state have no pending row.
    await service.database.query(
      "delete from pending_emails p using emails e where e.id = p.email_id and e.status <> 'queued'",
    );
    const { body } = await client.get<{ emails: EmailSummary[] }>('/api/emails');
    const expected = new Map<string, Record<string, number>>();
    for (const { id } of body.emails) expected.set(id, await statesOf(id));
    expect(new Set([...expected.values()].flatMap(Object.keys))).toEqual(new Set(RECIPIENT_STATES));
    const { campaigns } = (await client.get<{ campaigns: { id: string }[] }>('/api/campaigns')).body;
    for (const path of ['/api/emails', '/api/emails?search=example.com', `/api/campaigns/${campaigns[0]!.id}`]) {
      const { emails } = (await client.get<{ emails: EmailSummary[] }>(path)).body;
      const shown = new Map(emails.map(({ id, recipientStates }) => [id, recipientStates]));
      expect([path, shown]).toEqual([path, expected]);
    }
  });

  it('counts the recipients of an email from which one was erased', async () => {
    await store('sent', { state: 'accepted', facts: 4 });
    const only = async () => (await client.get<{ emails: EmailSummary[] }>('/api/emails')).body.emails[0];
    expect((await only())?.recipientStates).toEqual({ sent: 3, bounced: 1 });
    await eraseWithoutWorker(service, client, 'four@example.com');
    expect((await only())?.recipientStates).toEqual({ sent: 4 });
  });
});

import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { cancelOrganizationMail } from '../../src/organizations/deletion/cancel-organization-mail.js';
import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { erasePerson } from '../support/erase-person.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';
import { campaignEmails } from '../support/campaign-emails.js';

const key = new EventWebhookKey();
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { SENDGRID_EVENT_PUBLIC_KEY: key.publicKey } });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

describe('An email that the provider refused for now, but reported as delivered, is not canceled', () => {
  /** @returns the email, which waits for its next attempt */
  async function delivered(): Promise<{ id: string; trackingId: string }> {
    service.mailServer.scripts.add('busy@example.com', { phase: 'dot', reply: '451 4.3.0 Try again later' }, 9);
    const fields = { from: 'a@acme.example', to: 'busy@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    const { body } = await client.post<SendResponse>(
      '/api/send',
      { ...fields, campaignId: 'C' },
      { prefer: 'respond-async' },
    );
    const trackingId = body.emailTrackingId;
    const detail = async () => (await client.get<EmailDetail>(`/api/emails/${trackingId}`)).body;
    const { id } = await eventually(async () => {
      const email = await detail();
      return email.attempts > 0 && email.status === 'queued' && email;
    });
    // Its next attempt is due after the end of the test.
    await service.database.query(`update pending_emails set due_at = now() + interval '1 h' where email_id = $1`, [id]);
    const report = JSON.stringify([sendGridEvent('delivered', { email: 'busy@example.com', mailbeacon_email_id: id })]);
    await postToSendGridRoute(service.address, report, key.sign(report));
    await eventually(async () => (await detail()).recipients[0]?.state === 'delivered');
    return { id, trackingId };
  }

  it('POST /api/emails/:id/cancel: 409, because a recipient has it', async () => {
    const { trackingId } = await delivered();
    expect((await client.post(`/api/emails/${trackingId}/cancel`)).status).toBe(409);
    expect(await campaignEmails(service, client)).toBe(1);
  });

  it.each(['org suspend --cancel', 'an erasure'])('%s: it counts as sent', async (end) => {
    const { trackingId } = await delivered();
    if (end === 'an erasure') {
      await erasePerson(client, 'busy@example.com');
    } else {
      await suspendOrganization(service.database, client.organizationId, 'It sends spam');
      await cancelOrganizationMail(service.database, client.organizationId);
    }
    const [row] = await service.database.query(
      'select status, last_error, canceled_at, possible_duplicate from emails where tracking_id = $1',
      [trackingId],
    );
    expect(row).toEqual({ status: 'sent', last_error: null, canceled_at: null, possible_duplicate: false });
    expect(await campaignEmails(service, client)).toBe(1);
  });
});

import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { cancelOrganizationMail } from '../../src/organizations/deletion/cancel-organization-mail.js';
import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { erasePerson } from '../support/erase-person.js';
import { BroadcastClient } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';
import { campaignEmails } from '../support/campaign-emails.js';

const key = new EventWebhookKey();
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  // The resend of an email in doubt is due after the end of the test.
  const environment = {
    AMBIGUOUS_RESEND_AFTER_MS: '3600000',
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
    SENDGRID_EVENT_PUBLIC_KEY: key.publicKey,
  };
  service = await TestService.start({ environment });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

const acceptsWithoutResponse = (to: string) =>
  service.mailServer.scripts.add(to, { phase: 'dot', fault: 'drop', accepts: true }, 1);
const inDoubt = () =>
  eventually(async () => {
    const emails = await listUnknownOutcomes(service.database, client.organizationId, 10);
    return emails.length === 1 && emails[0]!.state === 'waiting' && emails[0]!;
  });
const read = async (id: string) => (await client.get<Record<string, unknown>>(`/api/emails/${id}`)).body;
const reports = async () =>
  (
    await service.database.query<{ type: string; to: string }>(
      `select d.type, d.body::json #>> '{data,to,0}' as to from webhook_deliveries d
         join webhook_endpoints w on w.id = d.endpoint_id where w.organization_id = $1 order by 1`,
      [client.organizationId],
    )
  ).map(({ type, to }) => [type, to]);
const UNKNOWN = 'Delivery outcome unknown: it was canceled before it was sent again';

async function contactEmails(address: string): Promise<number> {
  const [row] = await service.database.query<{ emails: number }>(
    'select emails::integer from contacts where organization_id = $1 and address = $2',
    [client.organizationId, address],
  );
  return row!.emails;
}

describe('An email that may have reached a recipient is not marked as canceled', () => {
  it('broadcast cancel: it fails as in doubt, counts as failed and is reported', async () => {
    const broadcasts = new BroadcastClient(client);
    await client.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['EMAIL_FAILED'] });
    const id = await broadcasts.create();
    await broadcasts.add(id, [{ to: 'doubt@example.com' }, { to: 'waits@example.com' }]);
    acceptsWithoutResponse('doubt@example.com');
    service.mailServer.scripts.add('waits@example.com', { phase: 'rcpt', reply: '451 4.7.1 Try again later' }, 9);
    await broadcasts.move(id, 'send');
    const email = await inDoubt();
    await eventually(async () => {
      const [row] = await service.database.query<{ waiting: number }>(
        'select count(*)::integer as waiting from pending_emails where broadcast_id = $1 and attempts > 0 and lease_token is null',
        [id],
      );
      return row!.waiting === 2;
    });
    expect((await broadcasts.move(id, 'cancel')).is).toBe('canceled');
    const { progress } = await broadcasts.settled(id, 'canceled');
    expect(progress).toMatchObject({ total: 2, sent: 0, failed: 1, canceled: 1 });
    expect(await read(email.trackingId)).toMatchObject({
      status: 'failed',
      lastError: UNKNOWN,
      possibleDuplicate: false,
    });
    expect(await campaignEmails(service, client)).toBe(0);
    expect(await contactEmails('doubt@example.com')).toBe(0);
    expect(await reports()).toEqual([['EMAIL_FAILED', 'doubt@example.com']]);
    // Operators can find it, and can still settle it.
    expect(await listUnknownOutcomes(service.database, client.organizationId, 10)).toMatchObject([
      { id: email.id, state: 'failed', reason: UNKNOWN },
    ]);
  });

  it('org suspend --cancel: it fails as in doubt; one that reached a recipient counts as sent', async () => {
    await client.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['EMAIL_FAILED', 'EMAIL_SENT'] });
    const send = async (to: string[]) => {
      const fields = { from: 'a@acme.example', to, subject: 'S', htmlContent: '<p>x</p>', campaignId: 'C' };
      const { body } = await client.post<SendResponse>('/api/send', fields, { prefer: 'respond-async' });
      return body.emailTrackingId;
    };
    acceptsWithoutResponse('doubt@example.com');
    service.mailServer.scripts.add('later@example.com', { phase: 'rcpt', reply: '451 4.7.1 Try again later' }, 9);
    const [doubtful, partial] = [
      await send(['doubt@example.com']),
      await send(['now@example.com', 'later@example.com']),
    ];
    await inDoubt();
    await eventually(async () => {
      const sql =
        'select from pending_emails where organization_id = $1 and provider_id is not null and lease_token is null';
      return (await service.database.query(sql, [client.organizationId])).length === 1;
    });
    await suspendOrganization(service.database, client.organizationId, 'It sends spam');
    expect(await cancelOrganizationMail(service.database, client.organizationId)).toEqual({ emails: 0, broadcasts: 0 });
    const [row] = await service.database.query<{ statuses: string[]; pending: number }>(
      `select array(select status from emails where tracking_id = any($1::text[]) order by id) as statuses,
              (select count(*)::integer from pending_emails where organization_id = $2) as pending`,
      [[doubtful, partial], client.organizationId],
    );
    expect(row).toEqual({ statuses: ['failed', 'sent'], pending: 0 });
    expect(await campaignEmails(service, client)).toBe(1);
    expect(await contactEmails('doubt@example.com')).toBe(0);
    expect(await contactEmails('later@example.com')).toBe(1);
    expect(await reports()).toEqual([
      ['EMAIL_FAILED', 'doubt@example.com'],
      ['EMAIL_SENT', 'now@example.com'],
    ]);
  });

  it.each(['org suspend --cancel', 'an erasure'])(
    '%s: one on whose recipient the provider has reported since counts as sent, without a flag',
    async (end) => {
      acceptsWithoutResponse('doubt@example.com');
      const fields = { from: 'a@acme.example', to: 'doubt@example.com', subject: 'S', htmlContent: '<p>x</p>' };
      await client.post('/api/send', { ...fields, campaignId: 'C' }, { prefer: 'respond-async' });
      const { id, trackingId } = await inDoubt();
      const body = JSON.stringify([
        sendGridEvent('delivered', { email: 'doubt@example.com', mailbeacon_email_id: id }),
      ]);
      expect(await postToSendGridRoute(service.address, body, key.sign(body))).toMatchObject({ body: { stored: 1 } });
      await eventually(async () => {
        const { recipients } = (await client.get<EmailDetail>(`/api/emails/${trackingId}`)).body;
        return recipients[0]?.state === 'delivered';
      });
      if (end === 'an erasure') {
        await erasePerson(client, 'doubt@example.com');
      } else {
        await suspendOrganization(service.database, client.organizationId, 'It sends spam');
        await cancelOrganizationMail(service.database, client.organizationId);
      }
      const [row] = await service.database.query(
        'select status, last_error, failed_at, possible_duplicate from emails where id = $1',
        [id],
      );
      expect(row).toEqual({ status: 'sent', last_error: null, failed_at: null, possible_duplicate: false });
      expect(await campaignEmails(service, client)).toBe(1);
    },
  );

  it('POST /api/emails/:id/cancel: 409, and its status does not change', async () => {
    acceptsWithoutResponse('doubt@example.com');
    const fields = { from: 'a@acme.example', to: 'doubt@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    await client.post('/api/send', fields, { prefer: 'respond-async' });
    const { trackingId } = await inDoubt();
    expect((await client.post(`/api/emails/${trackingId}/cancel`)).status).toBe(409);
    expect(await read(trackingId)).toMatchObject({ status: 'queued' });
  });
});

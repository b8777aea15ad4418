import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { cancelOrganizationMail } from '../../src/organizations/deletion/cancel-organization-mail.js';
import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let worker: TestService | undefined;
let client: TestClient;
let other: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  [client, other] = [await service.organization(), await service.organization()];
});
afterAll(async () => {
  await worker?.stop();
  await service?.stop();
});

const TO = ['ada@example.com', 'bob@example.com'];
const later = new Date(Date.now() + 86_400_000).toISOString();

async function send(by: TestClient, fields: object): Promise<string> {
  const email = { from: 'a@acme.example', to: TO, subject: 'S', htmlContent: '<p>x</p>', ...fields };
  const { status, body } = await by.post<SendResponse>('/api/send', email, { prefer: 'respond-async' });
  expect(status).toBe(202);
  return body.emailTrackingId;
}

async function broadcast(by: TestClient, sendAt?: string): Promise<string> {
  const message = {
    name: 'B',
    from: 'a@acme.example',
    subject: 'S',
    htmlContent: '<p>x</p>',
    ...(sendAt && { sendAt }),
  };
  const { body } = await by.post<{ id: string }>('/api/broadcasts', message);
  await by.post(`/api/broadcasts/${body.id}/recipients`, { recipients: TO.map((to) => ({ to })) });
  expect((await by.post(`/api/broadcasts/${body.id}/send`)).status).toBeLessThan(300);
  return body.id;
}

const statusOf = async (trackingId: string): Promise<string> =>
  (
    await service.database.query<{ status: string }>('select status from emails where tracking_id = $1', [trackingId])
  )[0]!.status;

/** Every stored count of emails, beside the number of emails that count. */
async function counts(by: TestClient): Promise<unknown> {
  const [row] = await service.database.query(
    `select (select coalesce(sum(emails), 0)::integer from contacts where organization_id = $1) as contacts,
            (select count(*)::integer from contact_emails m join emails e on e.id = m.email_id
              where e.organization_id = $1 and e.status not in ('failed', 'canceled')) as "contactEmails",
            (select count(*)::integer from contact_campaigns m join contacts c on c.id = m.contact_id
              where c.organization_id = $1) as memberships,
            (select count(distinct (m.contact_id, e.campaign_id))::integer from contact_emails m
               join emails e on e.id = m.email_id where e.organization_id = $1 and e.campaign_id is not null
                and e.status not in ('failed', 'canceled')) as "campaignContacts",
            (select coalesce(sum(t.emails), 0)::integer from campaign_totals t join campaigns c on c.id = t.campaign_id
              where c.organization_id = $1) as totals,
            (select count(*)::integer from emails where organization_id = $1 and campaign_id is not null
                and status not in ('failed', 'canceled')) as "campaignEmails"`,
    [by.organizationId],
  );
  return row;
}

describe('`cli org suspend ID --reason TEXT --cancel`', () => {
  it('cancels queued and scheduled mail and broadcasts, except emails that a worker has claimed; mail of others is sent', async () => {
    const queued = await send(client, { campaignId: 'One' });
    const plain = await send(client, {});
    const scheduled = await send(client, { campaignId: 'Two', sendAt: later });
    const claimed = await send(client, { campaignId: 'One' });
    const sending = await broadcast(client);
    const planned = await broadcast(client, later);
    const free = await send(other, { campaignId: 'One' });
    await service.database.query(
      `update pending_emails set lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour'
        where email_id = (select id from emails where tracking_id = $1)`,
      [claimed],
    );
    await suspendOrganization(service.database, client.organizationId, 'It sends spam');
    expect(await cancelOrganizationMail(service.database, client.organizationId)).toEqual({ emails: 3, broadcasts: 2 });
    const statuses = await Promise.all([queued, plain, scheduled, claimed, free].map(statusOf));
    expect(statuses).toEqual(['canceled', 'canceled', 'canceled', 'queued', 'queued']);
    worker = await TestService.start({ beside: service, environment: { ROLES: 'worker' } });
    await eventually(async () => (await statusOf(free)) === 'sent');
    await eventually(async () => {
      const left = await service.database.query('select from broadcast_recipients');
      return left.length === 0;
    });
    const broadcasts = await service.database.query<{ status: string }>(
      'select status from broadcasts where id = any($1::uuid[])',
      [[sending, planned]],
    );
    expect(broadcasts.map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    expect(await counts(client)).toEqual({
      ...{ contacts: 2, contactEmails: 2, memberships: 2, campaignContacts: 2, totals: 1, campaignEmails: 1 },
    });
  });

  it('keeps every count exact when contacts have several emails in several campaigns', async () => {
    const keeper = await service.organization();
    for (let index = 0; index < 6; index++) {
      await send(keeper, {
        to: TO.slice(index % 2),
        ...(index % 3 > 0 && { campaignId: `C${index % 3}` }),
        sendAt: later,
      });
    }
    const [kept] = await service.database.query<{ id: string }>(
      'select id from emails where organization_id = $1 and campaign_id is not null order by id limit 1',
      [keeper.organizationId],
    );
    await service.database.query(`delete from pending_emails where email_id = $1`, [kept!.id]);
    await service.database.query(`update emails set status = 'sent', sent_at = now() where id = $1`, [kept!.id]);
    expect(await cancelOrganizationMail(service.database, keeper.organizationId)).toEqual({ emails: 5, broadcasts: 0 });
    const found = (await counts(keeper)) as Record<string, number>;
    expect(found.contacts).toBe(found.contactEmails);
    expect(found.memberships).toBe(found.campaignContacts);
    expect(found).toMatchObject({ totals: 1, campaignEmails: 1 });
  });
});

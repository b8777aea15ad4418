import type { CampaignDetail } from '../../../src/campaigns/campaign-reports.js';
import type { ContactDetail } from '../../../src/contacts/contact-views.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { reportOf } from '../../emails/recipients/reported-mail.js';
import { eventually } from '../../support/eventually.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { ErasureBench } from './erasure-bench.js';

let bench: ErasureBench;
let number = 0;
let jane: string;

beforeAll(async () => void (bench = await ErasureBench.start()));
beforeEach(() => void (jane = `jane${++number}@example.com`));
afterAll(() => bench?.stop());

const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString();
const status = async (path: string, client = bench.client): Promise<number> => (await client.get(path)).status;
const pathOf = (address: string): string => `/api/contacts/${encodeURIComponent(address)}`;

describe('DELETE /api/contacts/:email erases the person', () => {
  it('and responds 404 for an unknown address, odd input and the contact of another organization', async () => {
    await bench.send({ to: jane });
    const otherClient = await bench.service.organization();
    for (const address of [jane, 'nobody@example.com', 'x', '%00', '%ED%A0%80', ' ', 'null', 'a@b@c', "'--"]) {
      expect([address, (await otherClient.delete(`/api/contacts/${encodeURIComponent(address)}`)).status]).toEqual([
        ...[address, 404],
      ]);
    }
    expect(await status(pathOf(jane))).toBe(200);
    expect(await bench.erase(jane.toUpperCase())).toBe(true);
    expect(await bench.erase(jane)).toBe(false);
  });

  it('totals stay', async () => {
    const campaignId = `Totals ${jane}`.replace('@', ' at ');
    const { pixelUrl } = await bench.send({ to: jane, campaignId });
    await bench.service.track(pixelUrl);
    const { body: list } = await bench.client.get<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
    const { id } = list.campaigns.find(({ name }) => name === campaignId)!;
    const read = async () => (await bench.client.get<CampaignDetail>(`/api/campaigns/${id}`)).body;
    const before = await eventually(async () => {
      const campaign = await read();
      return campaign.stats.totalOpens === 1 && campaign;
    });
    await bench.erase(jane);
    expect((await read()).stats).toEqual(before.stats);
  });

  it('of an email to several, only their address goes', async () => {
    const { emailTrackingId } = await bench.send({
      to: [`Jane Doe <${jane}>`, 'bob@example.com'],
      subject: 'For both',
    });
    await bench.erase(jane);
    expect(await bench.read(emailTrackingId)).toMatchObject({
      to: ['erased@erased.invalid', 'bob@example.com'],
      subject: 'For both',
    });
    const { body } = await bench.client.get<ContactDetail>(pathOf('bob@example.com'));
    expect(body.timeline.map(({ subject }) => subject)).toContain('For both');
  });

  it('their entries in logs of webhooks go, and those about others stay without the person', async () => {
    const { body: webhook } = await bench.client.post<{ id: string }>('/api/webhooks', {
      ...{ url: 'http://127.0.0.1:9/', events: ['EMAIL_SENT'] },
    });
    const log = `/api/webhooks/${webhook.id}/deliveries`;
    const entries = async () => (await bench.client.get<{ deliveries: { id: string }[] }>(log)).body.deliveries;
    await bench.send({ to: jane });
    await bench.send({ to: [jane, 'bob@example.com'] });
    expect(await entries()).toHaveLength(2);
    await bench.erase(jane);
    const [kept, ...others] = await entries();
    expect(others).toEqual([]);
    const { body } = await bench.client.get<{ body: string }>(`${log}/${kept!.id}`);
    expect(JSON.parse(body.body)).toMatchObject({ data: { to: ['erased@erased.invalid', 'bob@example.com'] } });
    await bench.client.delete(`/api/webhooks/${webhook.id}`);
  });

  it('an address that contains theirs stays', async () => {
    const longer = `x${jane}`;
    const { emailTrackingId } = await bench.send({ to: [jane, longer], subject: `To ${longer} and ${jane}.` });
    await bench.erase(jane);
    const email = await bench.read(emailTrackingId);
    expect(email).toMatchObject({ to: ['erased@erased.invalid', longer], subject: `To ${longer} and erased.` });
  });

  it('while mail to them is scheduled: it is canceled', async () => {
    const { emailTrackingId } = await bench.send({ to: jane, sendAt: tomorrow() });
    expect(await bench.erase(jane)).toBe(true);
    expect(await bench.read(emailTrackingId)).toMatchObject({ status: 'canceled', to: ['erased@erased.invalid'] });
    expect(await bench.find(jane)).toEqual([]);
  });

  it('while a report about them waits for the email: it sees that the address is gone', async () => {
    const { emailTrackingId } = await bench.send({ to: [jane, 'bob@example.com'] });
    const { id } = await bench.read(emailTrackingId);
    const erased = [
      'update email_contents set to_addresses = $2 where email_id = $1',
      [id, ['erased@erased.invalid']],
    ] as const;
    await whileLocked(
      bench.service.database,
      (sql) => sql.query('select from emails where id = $1 for update', [id]).then(() => sql.query(...erased)),
      async () => {
        await bench.append(reportOf(id, jane, 'bounced', { bounce: 'hard' }));
        await lockedOut(bench.service.database, 1);
      },
    );
    await bench.append(reportOf(id, 'nobody@example.com', 'delivered'));
    expect(await bench.service.database.query('select from delivery_events where address_key = $1', [jane])).toEqual(
      [],
    );
  });

  it('a send to the same address at the same moment makes a new contact, and no half-erased one', async () => {
    for (let round = 0; round < 5; round++) {
      await bench.send({ to: jane });
      const sends = Array.from({ length: 4 }, () => bench.send({ to: jane }, { prefer: 'respond-async' }));
      await Promise.all([bench.erase(jane), ...sends]);
      const { body, status: found } = await bench.client.get<ContactDetail>(pathOf(jane));
      const [row] = await bench.service.database.query<{ n: number }>(
        `select count(*)::integer as n from email_contents where to_addresses = array[$1]`,
        [jane],
      );
      expect(found === 404 ? 0 : body.totalEmails).toBe(row!.n);
      await bench.erase(jane);
    }
    expect(await bench.find(jane)).toEqual([]);
  });

  it('a person who unsubscribed or complained is not mailed again by accident', async () => {
    const { emailTrackingId } = await bench.send({ to: jane });
    const { id } = await bench.read(emailTrackingId);
    await bench.append(reportOf(id, 0, 'complained'));
    await eventually(async () => (await status(`/api/suppressions/${jane}`)) === 200);
    await bench.erase(jane);
    expect(await bench.find(jane)).toEqual([]);
    expect((await bench.client.get(`/api/suppressions/${jane}`)).body).toMatchObject({ reason: 'complaint' });
    const message = { from: 'a@acme.example', subject: 'S', htmlContent: 'x', to: jane };
    expect((await bench.client.post('/api/send', message)).status).toBe(422);
    expect((await bench.client.delete(`/api/suppressions/${jane}`)).status).toBe(204);
    expect((await bench.client.post('/api/send', message)).status).toBe(200);
  });

  it('an address that was suppressed by hand only leaves nothing behind', async () => {
    await bench.client.post('/api/suppressions', { address: jane });
    expect(await bench.erase(jane)).toBe(true);
    expect(await status(`/api/suppressions/${jane}`)).toBe(404);
  });

  it('is in the audit log without the address', async () => {
    await bench.send({ to: jane });
    await bench.erase(jane);
    const [entry] = await bench.service.database.query<{ target_id: string }>(
      `select target_id from audit_entries where action = 'contact.erased' order by at desc, id desc limit 1`,
    );
    expect(entry!.target_id).toMatch(/^[0-9a-f]{64}$/);
  });

  it('of a person with many emails, in batches in the background', async () => {
    await bench.send({ to: jane });
    const [contact] = await bench.service.database.query<{ id: string }>(
      'select id from contacts where address_key = $1',
      [jane],
    );
    const ids = Array.from({ length: 10_000 }, (_, n) => uuidV7(Date.now() - 20_000 + n));
    await bench.service.database.query(
      `with made as (
         insert into emails (id, tracking_id, organization_id, contact_ids, status, created_at)
         select id, 'many-' || id, $2, array[$3::bigint], 'sent', now() from unnest($1::uuid[]) as id returning id
       ), content as (
         insert into email_contents (email_id, sender, to_addresses, subject, html)
         select id, 'a@acme.example', array[$4], 'S', $4 from made
       )
       insert into contact_emails (contact_id, email_id) select $3, id from made`,
      [ids, bench.client.organizationId, contact!.id, jane],
    );
    const { status: first, body } = await bench.client.delete<{ emails: number }>(pathOf(jane));
    // None may be left: texts and webhooks are erased after the emails.
    if (first === 202) expect(body.emails).toBeLessThanOrEqual(ids.length + 1);
    else expect(first).toBe(204);
    expect(await status(pathOf(jane))).toBe(404);
    await bench.erase(jane);
    expect(await bench.find(jane)).toEqual([]);
  });
});

import type { TrackingDomainView } from '../../src/domains/tracking/tracking-domain-row.js';
import type { Email, SentEmail } from '../../packages/client/src/index.js';
import { seed } from '../../src/cli/seed/seed.js';
import { ALL_CAMPAIGNS } from '../../src/campaigns/stats/stat-counters.js';
import type { DnsServer } from '../support/dns-server.js';
import type { TestClient, TestService } from '../support/service.js';
import { respondWith, type WebhookReceiver } from '../support/webhook-receiver.js';
import { eventually } from '../support/eventually.js';

/** Small, but enough for every page to have something to show. */
const SIZES = { campaigns: 14, emails: 5_000, contacts: 2_400, regularEmails: 2_000, events: 32_000 };
const CAMPAIGNS = [
  ...['Spring sale', 'Welcome', 'Order receipts', 'Newsletter 41', 'Newsletter 42', 'Newsletter 43', 'Password resets'],
  ...['Invoices', 'Product update', 'Conference 2026', 'Onboarding, day 3', 'Winter sale', 'Survey', 'Trial ends'],
];
const TIMEOUT_MS = 90_000;
const FROM = 'Ada at Acme <ada@acme.example>';

const NEWSLETTER = `<!doctype html>
<html>
  <body style="margin:0;background:#eef1f6;font:16px/1.5 system-ui,sans-serif;color:#1c2333">
    <div style="max-width:560px;margin:0 auto;padding:32px 24px">
      <h1 style="margin:0 0 8px;font-size:26px;color:#3b2fb3">Hello {{ name | default: "there" }}</h1>
      <p style="margin:0 0 20px">The spring collection is here: lighter, brighter, and made to last.</p>
      <div style="background:#fff;border-radius:12px;padding:20px 24px;margin-bottom:20px">
        <h2 style="margin:0 0 6px;font-size:18px">For {{ city | default: "your city" }}</h2>
        <p style="margin:0 0 14px">Free delivery until Sunday.</p>
        <a href="https://acme.example/sale" style="display:inline-block;background:#4338ca;color:#fff;
          padding:10px 18px;border-radius:8px;text-decoration:none">See the collection</a>
      </div>
      <p style="font-size:13px;color:#667"><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>
    </div>
  </body>
</html>
`;

export interface Seeded {
  readonly campaign: string;
  readonly contact: string;
  readonly email: string;
  readonly draft: string;
  readonly broadcast: string;
  readonly template: string;
  readonly domain: string;
  readonly trackingDomain: string;
  readonly provider: string;
  readonly webhook: string;
}

/** Fills an organization for pictures: half a year of email, and one of everything else in an interesting state. */
export async function seedOrganization(
  service: TestService,
  client: TestClient,
  dns: DnsServer,
  receiver: WebhookReceiver,
): Promise<Seeded> {
  const { campaignId, busiestContact } = await seed(
    service.database,
    client.organizationId,
    SIZES,
    new Date(),
    () => {},
  );
  await service.database.query(
    `update campaigns c set name = n.name
       from (select id, row_number() over (order by id) as place from campaigns where organization_id = $1) o
       join unnest($2::text[]) with ordinality n (name, place) using (place) where c.id = o.id`,
    [client.organizationId, CAMPAIGNS],
  );
  await seedFigures(service, client.organizationId, campaignId);
  await seedRates(service, client.organizationId);
  const make = async (path: string, body: object): Promise<string> => {
    const response = await client.post<{ id: string; error?: string }>(path, body);
    if (response.status >= 300) throw new Error(`${path}: ${response.body.error}`);
    return response.body.id;
  };
  receiver.respond = respondWith(500, { 'content-type': 'application/json' }, '{"error":"database is down"}');
  const webhook = await make('/api/webhooks', {
    url: receiver.url,
    events: ['EMAIL_SENT', 'EMAIL_FAILED', 'EMAIL_CLICKED', 'EMAIL_BOUNCED'],
  });
  const content = { subject: 'Spring is here, {{ name }}', htmlContent: NEWSLETTER };
  const template = await make('/api/templates', { name: 'Newsletter', ...content, subject: 'News, {{ name }}' });
  await client.put(`/api/templates/${template}`, { name: 'Newsletter', ...content });
  await make('/api/templates', { name: 'Receipt', subject: 'Order {{ order }}', htmlContent: '<p>{{ order }}</p>' });
  const domain = await addDomain(client, dns);
  const trackingDomain = await addTrackingDomain(client, dns);
  const provider = await make('/api/providers', {
    ...{ name: 'Marketing', type: 'mailgun', weight: 3, perSecond: 20, eventKey: '0123456789abcdef' },
    credentials: { apiKey: 'key-0123456789abcdef', domain: 'mg.acme.example' },
  });
  await make('/api/providers', {
    ...{ name: 'Receipts', type: 'smtp', credentials: { url: 'smtps://acme:secret@smtp.acme.example' } },
  });
  await make('/api/suppressions', { addresses: ['tim@post.example', 'ken@inbox.example'], note: 'Asked by phone' });
  await make('/api/keys', { name: 'Shop', scopes: ['send'] });
  const email = await sendEmails(service, client);
  receiver.respond = respondWith(204);
  await make(`/api/webhooks/${webhook}/test`, {});
  const draft = await make('/api/broadcasts', { name: 'Spring collection', from: FROM, ...content });
  await addPeople(client, draft, 240);
  const broadcast = await make('/api/broadcasts', {
    name: 'Spring sale, last days',
    from: FROM,
    ...content,
    pace: 480,
  });
  await addPeople(client, broadcast, 900);
  const sending = { email, draft, broadcast, template };
  return { campaign: campaignId, contact: busiestContact, ...sending, domain, trackingDomain, provider, webhook };
}

/** A week of reports, whose rates are low. */
async function seedRates(service: TestService, organizationId: string): Promise<void> {
  await service.database.query(
    `insert into sending_rates (organization_id, hour, domain, sent, bounced, complained)
     select $1, date_trunc('hour', now() - n * interval '1 hour', 'UTC'), 'acme.example', 160, n % 3, (n % 12 = 0)::integer
       from generate_series(1, 150) n`,
    [organizationId],
  );
}

/** Figures of 400 days, which the seed has none of: some weeks are stronger, and weekends are quiet. */
async function seedFigures(service: TestService, organizationId: string, campaignId: string): Promise<void> {
  await service.database.query('delete from hourly_stats where organization_id = $1', [organizationId]);
  for (const [id, size] of [
    [ALL_CAMPAIGNS, 900],
    [campaignId, 160],
  ] as const) {
    await service.database.query(
      `with days as (
         select date_trunc('day', now()) - n * interval '1 day' + interval '9 hours' as hour,
                round($3::integer * (1 + 0.5 * sin(n / 9.0) + 0.2 * cos(n * 1.7))
                  * case when extract(isodow from now() - n * interval '1 day') > 5 then 0.3 else 1 end) as sent
           from generate_series(1, 400) n
       )
       insert into hourly_stats (organization_id, campaign_id, hour, emails, sent, delivered, bounced, complained,
                                 unsubscribed, opens, clicks, machine_opens, machine_clicks, unique_opens, unique_clicks)
       select $1, $2, hour, sent, sent, round(sent * 0.982), round(sent * 0.011), round(sent * 0.0006), round(sent * 0.002),
              round(sent * 0.9), round(sent * 0.21), round(sent * 0.4), round(sent * 0.06), round(sent * 0.44),
              round(sent * 0.13)
         from days`,
      [organizationId, id, size],
    );
  }
}

/** One that links use, below the verified domain. */
async function addTrackingDomain(client: TestClient, dns: DnsServer): Promise<string> {
  const { body } = await client.post<TrackingDomainView>('/api/tracking-domains', {
    domain: 'click.mail.acme.example',
  });
  const [alias] = body.records;
  dns.cname(alias!.name, alias!.value);
  await client.post(`/api/tracking-domains/${body.id}/verify`);
  return body.id;
}

/** One that is verified, and one of which a record differs. */
async function addDomain(client: TestClient, dns: DnsServer): Promise<string> {
  type Domain = { id: string; records: { name: string; value: string; purpose: string }[] };
  const { body } = await client.post<Domain>('/api/domains', { domain: 'mail.acme.example' });
  for (const { name, value, purpose } of body.records)
    dns.txt(name, purpose === 'spf' ? 'v=spf1 include:_spf.other.example ~all' : (value.match(/.{1,255}/g) ?? []));
  await client.post(`/api/domains/${body.id}/verify`);
  await client.post('/api/domains', { domain: 'news.acme.example' });
  return body.id;
}

async function addPeople(client: TestClient, id: string, count: number): Promise<void> {
  const cities = ['Lisbon', 'Oslo', 'Vienna', 'Ghent'];
  const names = ['Ada', 'Grace', 'Linus', 'Margaret', 'Edsger', 'Barbara', 'Donald', 'Frances'];
  const recipients = Array.from({ length: count }, (_, n) => {
    const name = names[n % names.length]!;
    const variables = { name, city: cities[n % cities.length]! };
    return { to: `${name.toLowerCase()}${n}@readers.example`, variables };
  });
  await client.post(`/api/broadcasts/${id}/recipients`, { recipients });
}

/** A few emails of today, one of them opened and clicked, one refused. @returns the ID of the first */
async function sendEmails(service: TestService, client: TestClient): Promise<string> {
  service.mailServer.scripts.add('gone@example.com', { phase: 'rcpt', reply: '550 5.1.1 No such user' }, 1);
  const sent: SentEmail[] = [];
  for (const [to, subject] of [
    ['grace@example.com', 'Your order 4711 is on its way'],
    ['linus@example.com', 'Reset your password'],
    ['gone@example.com', 'Your invoice of March'],
    ['margaret@example.com', 'Welcome to Acme'],
  ] as const) {
    const htmlContent = NEWSLETTER.replaceAll(/\{\{ (\w+)[^}]*\}\}/g, 'Grace');
    const request = { from: FROM, to, subject, htmlContent, campaignId: 'Welcome' };
    sent.push((await client.post<SentEmail>('/api/send', request)).body);
  }
  const { emailTrackingId, pixelUrl, links } = sent[0]!;
  const first = async () => (await client.get<Email>(`/api/emails/${emailTrackingId}`)).body;
  await eventually(async () => (await first()).status === 'sent', TIMEOUT_MS);
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
  // Who opens within a second is taken for a scanner.
  await service.database.query(
    `update emails set created_at = created_at - interval '5 minutes', sent_at = sent_at - interval '5 minutes',
                       failed_at = failed_at - interval '5 minutes'
      where coalesce(sent_at, failed_at) > now() - interval '1 day'`,
  );
  for (const url of [pixelUrl, links[0]!.trackingUrl]) await service.track(url, { headers });
  await eventually(async () => (await first()).clicks > 0, TIMEOUT_MS);
  return emailTrackingId;
}

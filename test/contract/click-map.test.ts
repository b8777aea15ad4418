import type { ClickMap } from '../../src/emails/read/click-map.js';
import { erasePerson } from '../support/erase-person.js';
import { BroadcastClient } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

const WITHOUT_RULES_OF_TIME = {
  ENGAGEMENT_INSTANT_MS: '0',
  ENGAGEMENT_CORROBORATED_MS: '0',
  ENGAGEMENT_BURST_MS: '0',
  ENGAGEMENT_ALL_LINKS_MS: '0',
  ENGAGEMENT_AROUND_SCANNER_MS: '0',
};

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  // Here only the request itself decides whether a person or a machine clicked.
  service = await TestService.start({ environment: { ...WITHOUT_RULES_OF_TIME, ...AWAIT_RESULT } });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(async () => service?.stop());

interface Sent {
  emailTrackingId: string;
  links: { trackingUrl: string }[];
}

const HTML =
  '<a href="https://acme.example/a">a</a><a href="mailto:x@acme.example">m</a><a rel="notrack" href="https://acme.example/n">n</a><a href="https://acme.example/b">b</a>';
const MARKED = '<a href="#link-0">a</a><a href="#">m</a><a rel="notrack" href="#">n</a><a href="#link-1">b</a>';
const PERSON = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:128.0) Gecko/20100101 Firefox/128.0' };
const SCRIPT = { 'user-agent': 'curl/8.5.0' };

async function send(to: string, htmlContent = HTML): Promise<Sent> {
  const email = { from: 'ada@acme.example', to, subject: 'S', htmlContent, campaignId: 'Spring' };
  return (await client.post<Sent>('/api/send', email)).body;
}

async function click({ links }: Sent, position: number, headers: Record<string, string>): Promise<void> {
  const { status } = await service.track(links[position]!.trackingUrl, { headers });
  expect(status).toBe(302);
}

async function campaignMap(clicks: number): Promise<ClickMap> {
  const { body } = await client.get<{ campaigns: { id: string }[] }>('/api/campaigns');
  return eventually(async () => {
    const map = await client.get<ClickMap>(`/api/campaigns/${body.campaigns[0]!.id}/click-map`);
    return map.body.links.reduce((sum, link) => sum + link.clicks, 0) === clicks && map.body;
  });
}

describe('the click map', () => {
  it('counts clicks per position, by people and machines, over the emails of a campaign', async () => {
    const [one, two] = [await send('one@example.com'), await send('two@example.com')];
    await click(one, 0, PERSON);
    await click(one, 0, PERSON);
    await click(two, 0, SCRIPT);
    await click(two, 1, SCRIPT);
    const { emailId, ...map } = await campaignMap(4);
    expect(map).toEqual({
      html: MARKED,
      emails: 2,
      isComplete: true,
      links: [
        { position: 0, url: 'https://acme.example/a', clicks: 3, people: 2, unique: 2, uniquePeople: 1, share: 1 },
        { position: 1, url: 'https://acme.example/b', clicks: 1, people: 0, unique: 1, uniquePeople: 0, share: 0 },
      ],
    });
    const { body: newest } = await client.get<{ id: string }>(`/api/emails/${two.emailTrackingId}`);
    expect(emailId).toBe(newest.id);
  });

  it('leaves out emails with a different link at the same position', async () => {
    const other = await send('one@example.com', '<a href="https://acme.example/other">o</a>');
    await click(other, 0, PERSON);
    const same = await send('two@example.com');
    await click(same, 1, PERSON);
    expect((await campaignMap(1)).links.map(({ people }) => people)).toEqual([0, 1]);
  });

  it('exists for a single email', async () => {
    const [one, two] = [await send('one@example.com'), await send('two@example.com')];
    await click(one, 1, PERSON);
    await click(two, 0, PERSON);
    await campaignMap(2);
    const { body } = await client.get<ClickMap>(`/api/emails/${one.emailTrackingId}/click-map`);
    expect(body).toMatchObject({ html: MARKED, emails: 1, links: [{ clicks: 0 }, { clicks: 1, share: 1 }] });
  });

  it('shows the clicks at their links if the email was sent before the first one was tracked', async () => {
    const { emailTrackingId } = await send('one@example.com');
    await service.database.query(
      `with email as (update emails set clicks = 1 where tracking_id = $1 returning id),
            links as (update email_links l set urls = urls[2:] from email where l.email_id = id)
       insert into email_link_clicks (email_id, position, clicks) select id, 0, 1 from email`,
      [emailTrackingId],
    );
    const { body } = await client.get<ClickMap>(`/api/emails/${emailTrackingId}/click-map`);
    expect(body).toMatchObject({ html: MARKED, links: [{ clicks: 0 }, { url: 'https://acme.example/b', clicks: 1 }] });
  });

  it('shows the newest email that still has its body, and counts the others, too', async () => {
    const [one, two] = [await send('one@example.com'), await send('two@example.com')];
    await click(one, 0, PERSON);
    await click(two, 1, PERSON);
    await campaignMap(2);
    await erasePerson(client, 'two@example.com');
    const map = await campaignMap(1);
    const { body: shown } = await client.get<{ id: string }>(`/api/emails/${one.emailTrackingId}`);
    expect(map).toMatchObject({ emailId: shown.id, html: MARKED, emails: 2, links: [{ people: 1 }, { people: 0 }] });
  });

  it('shows the newest email with HTML, because a text alone has no links', async () => {
    const one = await send('one@example.com');
    const text = { from: 'ada@acme.example', subject: 'S', textContent: 'No links', campaignId: 'Spring' };
    await client.post('/api/send', { ...text, to: 'two@example.com' });
    const broadcasts = new BroadcastClient(client);
    const id = await broadcasts.create({ ...text, htmlContent: undefined });
    await broadcasts.add(id, [{ to: 'three@example.com' }]);
    await broadcasts.move(id, 'send');
    await broadcasts.settled(id, 'sent');
    await click(one, 1, PERSON);
    expect(await campaignMap(1)).toMatchObject({ html: MARKED, emails: 3, links: [{ clicks: 0 }, { clicks: 1 }] });
  });

  it('is empty for a campaign without emails', async () => {
    await client.post('/api/campaigns', { name: 'Empty' });
    expect(await campaignMap(0)).toEqual({ emailId: null, html: '', emails: 0, isComplete: true, links: [] });
  });

  it('renders a broadcast, even if the links of its recipients differ', async () => {
    const htmlContent = '<a href="https://acme.example/{{ name }}">x</a><a href="{{ unsubscribe_url }}">u</a>';
    const draft = { name: 'Sale', from: 'ada@acme.example', subject: 'S', htmlContent };
    const { body: broadcast } = await client.post('/api/broadcasts', draft);
    const recipients = ['ann', 'bob'].map((name) => ({ to: `${name}@example.com`, variables: { name } }));
    await client.post(`/api/broadcasts/${String(broadcast.id)}/recipients`, { recipients });
    await client.post(`/api/broadcasts/${String(broadcast.id)}/send`);
    const emails = await eventually(async () => {
      const { body } = await client.get<{ emails: { trackingId: string; status: string }[] }>('/api/emails');
      return body.emails.filter(({ status }) => status === 'sent').length === 2 && body.emails;
    });
    for (const { trackingId } of emails) {
      const { body } = await client.get<{ links: { trackingUrl: string }[] }>(`/api/emails/${trackingId}`);
      await service.track(body.links[0]!.trackingUrl, { headers: PERSON });
    }
    const { html, links } = await campaignMap(2);
    expect(html).toMatch(/^<a href="#link-0">x<\/a><a href="#">u<\/a>$/);
    expect(links).toEqual([expect.objectContaining({ position: 0, clicks: 2, people: 2, uniquePeople: 2, share: 1 })]);
  });

  it('shows the links that the recipient of a broadcast got, also those that need an unsubscribe address', async () => {
    const broadcasts = new BroadcastClient(client);
    const htmlContent =
      '{% if unsubscribe_url %}<a href="https://acme.example/if">i</a>{% endif %}' +
      '<a href="https://acme.example/b">b</a><a href="{{ unsubscribe_url | default: \'https://acme.example/c\' }}">u</a>';
    const id = await broadcasts.create({ htmlContent });
    await broadcasts.add(id, [{ to: 'ann@example.com' }]);
    await broadcasts.move(id, 'send');
    await broadcasts.settled(id, 'sent');
    const { body } = await client.get<{ emails: { id: string }[] }>('/api/emails');
    const { body: email } = await client.get<Sent>(`/api/emails/${body.emails[0]!.id}`);
    await click(email, 0, PERSON);
    expect(await campaignMap(1)).toMatchObject({
      html: '<a href="#link-0">i</a><a href="#link-1">b</a><a href="#">u</a>',
      links: [
        { url: 'https://acme.example/if', people: 1 },
        { url: 'https://acme.example/b', people: 0 },
      ],
    });
  });

  it('finds the links of a broadcast in emails that have others besides', async () => {
    const broadcasts = new BroadcastClient(client);
    const htmlContent =
      '<a href="https://acme.example/">x</a>{% if vip %}<a href="https://acme.example/vip">v</a>{% endif %}' +
      '<a href="https://acme.example/?{{ name }}">n</a><a href="https://acme.example/">x</a>';
    const id = await broadcasts.create({ htmlContent });
    const recipients = ['ann', 'bob', 'eve'].map((name) => {
      return { to: `${name}@example.com`, variables: { name, vip: name === 'ann' } };
    });
    await broadcasts.add(id, recipients);
    await broadcasts.move(id, 'send');
    await broadcasts.settled(id, 'sent');
    const linksOf = async (name: string): Promise<Sent> => {
      const { body } = await client.get<{ emails: { id: string }[] }>(`/api/emails?recipient=${name}@example.com`);
      return (await client.get<Sent>(`/api/emails/${body.emails[0]!.id}`)).body;
    };
    const [ann, bob] = [await linksOf('ann'), await linksOf('bob')];
    for (const position of [1, 1, 1, 2, 3]) await click(ann, position, PERSON);
    for (const position of [0, 1]) await click(bob, position, PERSON);
    const { links } = await campaignMap(3);
    expect(links.map(({ url, people, share }) => [url, people, share])).toEqual([
      ['https://acme.example/', 1, 0.3333],
      [expect.stringMatching(/\?(eve|bob)$/), 1, 0.3333],
      ['https://acme.example/', 1, 0.3333],
    ]);
  });
});

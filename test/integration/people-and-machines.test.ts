import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import { appleMail, browser, gmail, securityScanner, type DemoAgent } from '../../src/cli/demo-agents.js';
import type { ContactDetail } from '../../src/contacts/contact-views.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { EmailEvent } from '../../src/emails/read/email-events.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api,worker,tracking,flusher', ...AWAIT_RESULT } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const urls = ['a', 'b', 'c', 'd'].map((page) => `https://shop.example/${page}`);

type Tracked = Pick<TrackResponse, 'id' | 'pixelUrl' | 'links'>;

const htmlOf = (links: readonly string[]) => links.map((url) => `<a href="${url}">x</a>`).join('');

/** Tracks an email that another provider sends. */
async function email(to: string, campaignId: string, links = urls): Promise<TrackResponse> {
  const htmlContent = htmlOf(links);
  const { body } = await client.post<TrackResponse>('/api/emails', { to, campaignId, subject: 'S', htmlContent });
  return body;
}

const open = ({ pixelUrl }: Tracked, agent: DemoAgent) => service.track(pixelUrl, { headers: agent });
const click = ({ links }: Tracked, at: number, agent: DemoAgent) =>
  service.track(links[at]!.trackingUrl, { headers: agent });

/** Resolves with the email once it has this many opens and clicks. */
async function counted({ id }: Tracked, opens: number, clicks: number): Promise<EmailDetail> {
  return eventually(async () => {
    const { body } = await client.get<EmailDetail>(`/api/emails/${id}`);
    return body.opens === opens && body.clicks === clicks && body;
  });
}

async function campaignOf(name: string): Promise<CampaignDetail> {
  const { body: list } = await client.get<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
  const { id } = list.campaigns.find((campaign) => campaign.name === name)!;
  return (await client.get<CampaignDetail>(`/api/campaigns/${id}`)).body;
}

it('email, links, contact and campaign count opens and clicks of people and machines separately', async () => {
  const sent = await email('reader@example.com', 'Apart');
  await open(sent, gmail);
  await open(sent, browser);
  await open(sent, appleMail);
  await click(sent, 0, browser);
  await click(sent, 1, { ...browser, 'sec-purpose': 'prefetch' });
  await click(sent, 0, { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' });
  const detail = await counted(sent, 3, 3);
  const people = { opens: 2, clicks: 1, uniqueOpens: 1, uniqueClicks: 1, openRate: 100, clickRate: 100 };
  const machines = { opens: 1, clicks: 2, byClass: { prefetch: 2, preview: 1, scanner: 0, bot: 0 } };
  expect(detail).toMatchObject({ people, machines });
  expect(detail.links.map(({ clicks, people: byPeople }) => [clicks, byPeople])).toEqual([
    ...[[2, 1], [1, 0]], // prettier-ignore
    ...[[0, 0], [0, 0]], // prettier-ignore
  ]);
  const { body: contact } = await client.get<ContactDetail>('/api/contacts/reader@example.com');
  expect(contact).toMatchObject({ totalOpens: 3, totalClicks: 3, people: { opens: 2, clicks: 1 } });
  const campaign = await campaignOf('Apart');
  expect(campaign.stats).toMatchObject({ totalOpens: 3, totalClicks: 3, people, machines });
  expect(campaign.links.slice(0, 2)).toEqual([
    { url: urls[0], clicks: 2, people: 1 },
    { url: urls[1], clicks: 1, people: 0 },
  ]);
  const { body } = await client.get<{ events: EmailEvent[] }>(`/api/emails/${sent.id}/events`);
  expect(body.events.map(({ class: name, reason }) => [name, reason]).reverse()).toEqual([
    [undefined, undefined],
    ['proxy', 'user-agent:google-image-proxy'],
    ['human', 'none'],
    ['prefetch', 'user-agent:apple-mpp'],
    ['human', 'none'],
    ['prefetch', 'header:sec-purpose'],
    ['preview', 'user-agent:slack'],
  ]);
});

it('opens and clicks right after the hand-over are relabelled as those of a scanner, except those of Gmail', async () => {
  const message = { from: 'a@acme.example', to: 'guarded@example.com', subject: 'S', htmlContent: htmlOf(urls) };
  const { body: response } = await client.post<SendResponse>('/api/send', message);
  const sent = { ...response, id: response.emailTrackingId };
  await open(sent, gmail);
  await open(sent, browser);
  await click(sent, 2, browser);
  const { people, machines } = await counted(sent, 2, 1);
  expect(people).toMatchObject({ opens: 1, clicks: 0, uniqueOpens: 1, uniqueClicks: 0 });
  expect(machines).toMatchObject({ opens: 1, clicks: 1, byClass: { scanner: 2 } });
  const { body } = await client.get<{ timeline: { class?: string; reason?: string; certainty?: string }[] }>(
    `/api/emails/${sent.id}/timeline`,
  );
  expect(body.timeline).toContainEqual(
    expect.objectContaining({ type: 'clicked', class: 'scanner', reason: 'timing:instant', certainty: 'probable' }),
  );
});

it('an email that another provider sends is opened by a person at once, because its hand-over is not known', async () => {
  const sent = await email('elsewhere@example.com', 'Elsewhere');
  await open(sent, browser);
  await click(sent, 2, browser);
  expect(await counted(sent, 1, 1)).toMatchObject({
    people: { opens: 1, clicks: 1, uniqueOpens: 1, uniqueClicks: 1 },
    machines: { opens: 0, clicks: 0 },
  });
  const { body } = await client.get<{ events: EmailEvent[] }>(`/api/emails/${sent.id}/events`);
  expect(body.events[0]).toMatchObject({ type: 'clicked', class: 'human', reason: 'none' });
});

it('a security scanner that follows every link adds nothing to the counts of people, and the click of a person counts', async () => {
  const sent = await email('careful@example.com', 'Scanned');
  await open(sent, securityScanner);
  for (const at of urls.keys()) await click(sent, at, securityScanner);
  expect(await counted(sent, 1, 4)).toMatchObject({
    people: { opens: 0, clicks: 0, uniqueOpens: 0, uniqueClicks: 0, openRate: 0, clickRate: 0 },
    machines: { opens: 1, clicks: 4, byClass: { scanner: 5 } },
  });
  await click(sent, 1, browser);
  expect(await counted(sent, 1, 5)).toMatchObject({ people: { clicks: 1, uniqueClicks: 1 }, machines: { clicks: 4 } });
});

it('a gateway with the headers of a browser that follows more links at once than are stored one by one adds nothing to the counts of people', async () => {
  const links = Array.from({ length: 80 }, (_, page) => `https://shop.example/${page}`);
  const sent = await email('followed@example.com', 'Followed', links);
  await Promise.all(links.map((_, at) => click(sent, at, browser)));
  expect(await counted(sent, 0, 80)).toMatchObject({
    people: { clicks: 0, uniqueClicks: 0 },
    machines: { clicks: 80, byClass: { scanner: 80 } },
  });
  const { stats } = await campaignOf('Followed');
  expect(stats).toMatchObject({ totalClicks: 80, people: { clicks: 0, uniqueClicks: 0 }, machines: { clicks: 80 } });
});

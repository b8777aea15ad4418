import type { Browser, Page } from 'playwright-core';
import type { CampaignDetail, SendingState } from '../../packages/client/src/index.js';
import { ALL_PAUSED_KEY } from '../../src/emails/delivery/provider-pause-key.js';
import { connectForBlocking } from '../../src/platform/redis/connect.js';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import { TestGuards } from '../support/sending-guards.js';
import { AWAIT_RESULT, type TestClient, type TestService } from '../support/service.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const READER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15';
const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const EMAILS = 3;
const HITS = EMAILS * 4;

interface Sent {
  readonly pixelUrl: string;
  readonly links: readonly { readonly trackingUrl: string }[];
}

const count = (value: number): string => new Intl.NumberFormat('en-US').format(value);
const percent = (value: number): string =>
  `${new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 }).format(value)} %`;

let started: DashboardOfUser;
let service: TestService;
let organization: TestClient;
let browser: Browser;
let email: string;

journeys('numbers on the dashboard', () => {
  beforeAll(async () => {
    started = await startDashboardOf('viewer', AWAIT_RESULT);
    ({ service, organization, browser, email } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  /** Emails with two links, each opened by a person and a crawler and clicked by a person and a crawler. */
  async function campaignWithHits(): Promise<CampaignDetail> {
    for (let number = 1; number <= EMAILS; number++) {
      const { body } = await organization.post<Sent>('/api/send', {
        ...{
          from: 'ada@acme.example',
          to: `reader${number}@example.com`,
          subject: `News ${number}`,
          campaignId: 'News',
        },
        htmlContent: '<p><a href="https://acme.example/one">One</a> <a href="https://acme.example/two">Two</a></p>',
      });
      const urls = [body.pixelUrl, body.links[number % 2]!.trackingUrl];
      for (const url of urls)
        for (const agent of [READER, CRAWLER]) await service.track(url, { headers: { 'user-agent': agent } });
    }
    const { body: list } = await organization.get<{ campaigns: { id: string }[] }>('/api/campaigns');
    return eventually(async () => {
      const { body } = await organization.get<CampaignDetail>(`/api/campaigns/${list.campaigns[0]!.id}`);
      return body.stats.totalOpens + body.stats.totalClicks === HITS && body;
    }, STEP_MS);
  }

  /** The text below the name of a figure. */
  function figure(page: Page, name: string): Promise<string> {
    const term = page.getByRole('term').filter({ hasText: new RegExp(`^${name}$`) });
    return term.locator('xpath=following-sibling::dd[1]').innerText();
  }

  /** The cells of a row, after the first. */
  async function numbersOf(page: Page, table: string, row: string): Promise<string[]> {
    const found = page.getByRole('table', { name: table, exact: true }).getByRole('row').filter({ hasText: row });
    return found.locator('td.number').allInnerTexts();
  }

  it(
    "a campaign's numbers are those of the API, to the digit",
    async () => {
      const { stats, links } = await campaignWithHits();
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Campaigns');
      await page.getByRole('link', { name: 'News', exact: true }).click();
      await page.getByRole('heading', { name: 'News', level: 1 }).waitFor();
      await page.getByRole('table', { name: 'Recipients' }).waitFor();
      const shown = {
        emails: await figure(page, 'Emails'),
        opens: await figure(page, 'All opens'),
        clicks: await figure(page, 'All clicks'),
        openRate: await figure(page, 'Opened by people'),
        clickRate: await figure(page, 'Clicked by people'),
        delivered: await figure(page, 'Delivered'),
        bounced: await figure(page, 'Bounced'),
        people: await numbersOf(page, 'Opens and clicks by people and machines', 'People'),
        machines: await numbersOf(page, 'Opens and clicks by people and machines', 'Machines'),
        all: await numbersOf(page, 'Opens and clicks by people and machines', 'All'),
      };
      const { people, machines, totalEmails, totalOpens, totalClicks, delivered, bounced } = stats;
      expect({ totalEmails, opens: people.opens + machines.opens }).toEqual({ totalEmails: EMAILS, opens: totalOpens });
      expect(shown).toEqual({
        ...{ emails: count(totalEmails), opens: count(totalOpens), clicks: count(totalClicks) },
        ...{ openRate: percent(people.openRate), clickRate: percent(people.clickRate) },
        ...{ delivered: count(delivered), bounced: count(bounced) },
        people: [count(people.opens), count(people.clicks)],
        machines: [count(machines.opens), count(machines.clicks)],
        all: [count(totalOpens), count(totalClicks)],
      });
      for (const { url, people: byPeople, clicks } of links) {
        const share = percent(people.clicks === 0 ? 0 : (100 * byPeople) / people.clicks);
        expect(await numbersOf(page, 'Links', url)).toEqual([count(byPeople), share, count(clicks)]);
      }
      expect(await page.getByRole('table', { name: 'Links', exact: true }).count()).toBe(1);
      const shares = page.frameLocator('iframe').getByText(/^[\d.]+ %$/);
      await shares.nth(1).waitFor();
      expect(await shares.count()).toBe(2);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'settings show that mail is not sent, the reason, and the remedy',
    async () => {
      const bouncing = await service.organization('pro', 'Bouncing');
      const reader = await newUser(service, bouncing.organizationId, 'viewer');
      // Tracked only: sent emails would change the rates while they are compared.
      await bouncing.post('/api/emails', { to: 'reader@example.com', subject: 'First', htmlContent: '<p>Hi</p>' });
      await service.database.query(
        `insert into sending_rates (organization_id, hour, domain, sent, bounced, complained)
         values ($1, date_trunc('hour', now() - interval '5 hours', 'UTC'), 'acme.example', 1000, 200, 0)`,
        [bouncing.organizationId],
      );
      const guards = TestGuards.beside(service);
      const redis = connectForBlocking(service.settings.REDIS_URL);
      await guards.evaluate();
      // No worker calls this provider, so that its state does not change.
      await redis.set(ALL_PAUSED_KEY, 'credential-refused', 'PX', 3_600_000);
      await Promise.all([guards.stop(), redis.quit()]);
      const { body } = await bouncing.get<SendingState>('/api/sending');
      expect(body.state).toBe('paused');

      const page = await signedInPage(browser, service, reader.email);
      const attention = page.getByRole('listitem').filter({ hasText: 'No mail is sent' });
      await attention.getByRole('link', { name: 'Sending' }).click();
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      const mail = page.getByRole('region', { name: 'Your mail' });
      await mail.getByText(`${body.reason}.`).waitFor();
      await mail.getByText('ask your operator to resume sending').waitFor();
      const provider = page.getByRole('region', { name: 'Email provider' });
      await provider.getByText('otherwise ask your operator to').waitFor();
      for (const [hours, name] of [
        [1, '1 hour'],
        [24, '24 hours'],
        [168, '7 days'],
      ] as const) {
        const { sent, bounceRate, complaintRate } = body.rates.find((rate) => rate.hours === hours)!;
        const shown = [count(sent), percent(100 * bounceRate), percent(100 * complaintRate)];
        expect(await numbersOf(page, 'Bounces and complaints', name)).toEqual(shown);
      }
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

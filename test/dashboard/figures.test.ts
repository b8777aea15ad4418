import type { Broadcast } from '../../packages/client/src/index.js';
import { ALL_CAMPAIGNS } from '../../src/campaigns/stats/stat-counters.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { closeRouted, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { complete } from './page-checks.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };
const PHONE = { width: 360, height: 740 };

let started: DashboardOfUser;

journeys('figures', () => {
  beforeAll(async () => void (started = await startDashboardOf('member')), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'of a slow broadcast do not say that nothing is sent',
    async () => {
      const { service, organization, browser, email } = started;
      const broadcasts = new BroadcastClient(organization);
      const id = await broadcasts.create({ pace: 20 });
      await broadcasts.add(id, people(50));
      await broadcasts.move(id, 'send');
      const page = await signedInPage(browser, service, email);
      await page.route(`**/api/broadcasts/${id}`, async (route) => {
        const response = await route.fetch();
        const broadcast = (await response.json()) as Broadcast;
        const progress = { ...broadcast.progress, perSecond: 0.3 };
        await route.fulfill({ response, json: { ...broadcast, progress } });
      });
      await page.goto(`${service.address}/broadcasts/${id}`);
      await page.getByText(/^\d+ of 50, .* a second/).waitFor(SOON);
      await page.getByText(/^\d+ of 50, 0\.3 a second/).waitFor(SOON);
      await broadcasts.move(id, 'cancel');
      await closeRouted(page);
    },
    JOURNEY_MS,
  );

  it(
    'of many millions do not run into each other on a phone',
    async () => {
      const { service, organization, browser, email } = started;
      await organization.post('/api/emails', { to: 'ada@example.com', subject: 'Hello', htmlContent: '<p>Hello</p>' });
      await service.database.query(
        `insert into hourly_stats (organization_id, campaign_id, hour, emails, sent, delivered, unique_opens, bounced)
         values ($1, $2, date_trunc('hour', now()) - interval '2 hours', 2e9, 2e9, 2e9, 2e9, 2e9)`,
        [organization.organizationId, ALL_CAMPAIGNS],
      );
      const page = await signedInPage(browser, service, email);
      await page.setViewportSize(PHONE);
      await complete(page, '.figures');
      await page.locator('.figure').getByText('2,000,000,000', { exact: true }).first().waitFor(SOON);
      expect(await page.locator('.figure').evaluateAll(overflowing)).toEqual([]);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

/** Runs in the page. */
const overflowing = (figures: unknown[]): string[] =>
  (figures as { scrollWidth: number; clientWidth: number; textContent: string }[])
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ textContent }) => textContent);

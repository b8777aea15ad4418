import type { Page } from 'playwright-core';
import { hold } from '../support/hold.js';
import { AWAIT_RESULT } from '../support/service.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;
let page: Page;

journeys('the overview', () => {
  beforeAll(async () => {
    started = await startDashboardOf('viewer', AWAIT_RESULT);
    const { status } = await started.organization.post('/api/send', {
      ...{ from: 'ada@acme.example', to: 'reader@example.com', subject: 'Hi', htmlContent: '<p>Hi</p>' },
    });
    expect(status).toBe(200);
    page = await signedInPage(started.browser, started.service, started.email);
  }, JOURNEY_MS);
  afterAll(async () => {
    await page?.context().close();
    await started?.stop();
  });

  it(
    'says that no delivery was reported, because mail servers that report none would seem to deliver 0 %',
    async () => {
      const delivered = page.getByRole('term').filter({ hasText: 'Delivered' });
      await delivered
        .locator('xpath=..')
        .getByText('none reported')
        .waitFor({ timeout: STEP_MS / 3 });
    },
    JOURNEY_MS,
  );

  it(
    'shows the latest figures first in the table',
    async () => {
      await page.getByRole('button', { name: 'Show as a table' }).click();
      const cells = page.locator('table tbody td:nth-child(2)');
      await cells.getByText('1', { exact: true }).waitFor({ timeout: STEP_MS / 3 });
      const sent = await cells.allInnerTexts();
      expect(sent.length).toBeGreaterThan(20);
      // The day can end meanwhile.
      expect([0, 1]).toContain(sent.indexOf('1'));
    },
    JOURNEY_MS,
  );

  it.each([
    ['phone', 390, 844],
    ['large screen', 2560, 1440],
    ['tall screen', 1440, 2560],
  ])(
    'moves nothing that is seen on a %s when the figures arrive late',
    async (_screen, width, height) => {
      const { held, release } = hold();
      await page.route('**/api/stats?*', async (route) => {
        await held;
        await route.continue();
      });
      await page.setViewportSize({ width, height });
      await page.reload();
      await page.getByText('None yet.').waitFor();
      await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
      // What comes into view was not seen before.
      await page.evaluate(`
        globalThis.moved = [];
        new PerformanceObserver((list) => {
          const sources = list.getEntries().flatMap(({ sources }) => sources);
          const seen = sources.filter(({ previousRect }) => previousRect.height > 0);
          globalThis.moved.push(...seen.map(({ node }) => node?.textContent));
        }).observe({ type: 'layout-shift' });`);
      release();
      await page.getByRole('button', { name: 'Show as a table' }).waitFor({ timeout: STEP_MS / 3 });
      await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
      expect(await page.evaluate(`globalThis.moved`)).toEqual([]);
      await page.unroute('**/api/stats?*');
    },
    JOURNEY_MS,
  );
});

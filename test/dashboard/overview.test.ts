import type { Page } from 'playwright-core';
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
});

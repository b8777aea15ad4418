import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

/** More than two pages of a list. */
const MANY = 120;

let started: DashboardOfUser;

journeys('the columns of a long list', () => {
  beforeAll(async () => {
    started = await startDashboardOf('viewer');
    const message = (subject: string) => ({
      ...{ from: 'ada@acme.example', to: 'reader@example.com', subject },
      htmlContent: '<p>Hi</p>',
    });
    await started.organization.post('/api/send', message('Oldest'));
    await started.service.database.query(`update emails set created_at = created_at - interval '400 days'`);
    const emails = Array.from({ length: MANY }, (_, number) => message(`Number ${number + 1}`));
    await started.organization.post('/api/send/batch', { emails });
    await started.organization.post('/api/send', message('Newest'));
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  /** Presses End until the oldest email is there. */
  function scrollToEnd(page: Page): Promise<boolean> {
    return eventually(async () => {
      await page.keyboard.press('End');
      return (await page.getByRole('link', { name: 'Oldest', exact: true }).count()) === 1;
    }, STEP_MS);
  }

  it(
    'stay when further rows have longer values, such as times of earlier years',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await page.goto(`${started.service.address}/emails`);
      await page.getByRole('link', { name: 'Newest', exact: true }).waitFor();
      await scrollToEnd(page);
      await page.locator('table.fixed, table.blocks').waitFor();
      expect(await page.locator('table.blocks').count()).toBe(0);
      const oldest = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Oldest', exact: true }) });
      const { x, width } = (await oldest.getByRole('time').boundingBox())!;
      const frame = (await page.getByRole('group', { name: 'Emails' }).boundingBox())!;
      expect(x + width).toBeLessThanOrEqual(frame.x + frame.width);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

import type { Page } from 'playwright-core';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;
let page: Page;

journeys('the file of an export', () => {
  beforeAll(async () => {
    started = await startDashboardOf('owner');
    page = await signedInPage(started.browser, started.service, started.email);
  }, JOURNEY_MS);
  afterAll(async () => {
    await page?.context().close();
    await started?.stop();
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ['a campaign', () => campaign('Spring/Sale: \u202e“50 %”.'), /^emails-Spring-Sale-50-20\d\d-\d\d-\d\d\.csv$/],
    ['a campaign in Arabic', () => campaign('عرض الربيع'), /^emails-عرض-الربيع-20\d\d-\d\d-\d\d\.csv$/],
    ['suppressions', async () => '/suppressions', /^suppressions-Acme-20\d\d-\d\d-\d\d\.csv$/],
    ['the audit log', async () => '/audit', /^audit-Acme-20\d\d-\d\d-\d\d\.csv$/],
  ])(
    'of %s is named after what it holds, and the day',
    async (_, pathOf, name) => {
      await page.goto(started.service.address + (await pathOf()));
      const downloaded = page.waitForEvent('download', { timeout: STEP_MS / 3 });
      await page.getByRole('button', { name: 'Export' }).click();
      expect((await downloaded).suggestedFilename()).toMatch(name);
    },
    JOURNEY_MS,
  );

  async function campaign(name: string): Promise<string> {
    return `/campaigns/${(await started.organization.post<{ id: string }>('/api/campaigns', { name })).body.id}`;
  }
});

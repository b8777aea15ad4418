import type { Page } from 'playwright-core';
import { goTo, JOURNEY_MS, signedInPage } from './dashboard-page.js';
import { hasFocus, pressUntil } from './keyboard.js';
import { problemsOf } from './page-checks.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('shortcuts of a single key', () => {
  beforeAll(async () => {
    started = await startDashboardOf('owner');
    for (const name of ['Spring', 'Summer']) await started.organization.post('/api/campaigns', { name });
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  const choice = (page: Page) => page.getByRole('checkbox', { name: 'Shortcuts of a single key' });
  const hint = (page: Page) => page.getByText('Press / to search');

  it(
    'can be switched off in the settings, for the browser, and on again',
    async () => {
      const { browser, service, email } = started;
      const page = await signedInPage(browser, service, email);
      const other = await page.context().newPage();
      await other.goto(`${service.address}/emails`);
      await hint(other).waitFor();
      await goTo(page, 'Settings');
      expect(await choice(page).isChecked()).toBe(true);
      await choice(page).uncheck();
      expect(await problemsOf(page)).toEqual([]);

      // The tab beside it follows.
      await hint(other).waitFor({ state: 'detached' });
      expect(await other.locator('[aria-keyshortcuts]').count()).toBe(0);
      await page.reload();
      await goTo(page, 'Emails');
      await page.getByRole('searchbox', { name: 'Address, subject or ID' }).waitFor();
      expect(await hint(page).count()).toBe(0);

      await goTo(page, 'Campaigns');
      await page.getByRole('row', { name: 'Spring' }).waitFor();
      const main = page.locator('main');
      await main.focus();
      for (const key of ['/', 'j', 'k']) await page.keyboard.press(key);
      expect(await hasFocus(main)).toBe(true);
      expect(await page.locator('[aria-keyshortcuts]').count()).toBe(0);

      await goTo(page, 'Settings');
      expect(await choice(page).isChecked()).toBe(false);
      await choice(page).check();
      await goTo(page, 'Campaigns');
      await pressUntil(page, 'j', page.getByRole('link', { name: 'Spring', exact: true }));
      await pressUntil(page, 'k', page.getByRole('link', { name: 'Summer', exact: true }));
      await pressUntil(page, '/', page.getByRole('searchbox', { name: 'Name' }));
      expect(await page.locator('[aria-keyshortcuts="/"]').count()).toBe(1);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

import { isTitled, JOURNEY_MS, openDashboard, signedInPage } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('the title names', () => {
  beforeAll(async () => {
    started = await startDashboardOf('viewer');
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'each page for people who are not signed in',
    async () => {
      const page = await openDashboard(started.browser, started.service);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await isTitled(page, 'Sign in');
      await page.goto(`${started.service.address}/set-password`);
      await page.getByRole('heading', { name: 'Set a password' }).waitFor();
      await isTitled(page, 'Set a password');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'an address without a page',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await page.evaluate(`history.pushState(null, '', '/nowhere')`);
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
      await isTitled(page, 'There is no such page');
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

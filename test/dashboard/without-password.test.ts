import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('a user without a password', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member');
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'is told nothing about a password',
    async () => {
      const { service, browser, email } = started;
      const page = await signedInPage(browser, service, email);
      // As one who signs in at the OpenID provider only.
      await service.database.query('update users set password_hash = null where email = $1', [email]);
      await page.reload();
      await goTo(page, 'Settings');
      await page.getByText('Signing in takes no code.').waitFor({ timeout: STEP_MS / 3 });
      expect(await page.getByText(/password/i).count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

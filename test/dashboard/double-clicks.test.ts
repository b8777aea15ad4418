import { clickTwice } from './click-twice.js';
import { goTo, JOURNEY_MS, signedInPage } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('a double click on a busy page', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member');
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'saves one version of a template',
    async () => {
      const { service, organization, browser, email } = started;
      const template = { name: 'Welcome', subject: 'Welcome', htmlContent: '<p>Welcome</p>' };
      const { id } = (await organization.post<{ id: string }>('/api/templates', template)).body;
      const page = await signedInPage(browser, service, email);
      await page.goto(`${service.address}/templates/${id}`);
      await page.getByLabel('HTML or MJML').fill('<p>Good day</p>');
      await page.getByRole('button', { name: 'Save as a new version' }).evaluate(clickTwice);
      await page.getByText('Saved as version').waitFor();
      expect((await organization.get(`/api/templates/${id}`)).body).toMatchObject({ version: 2 });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'exports a file once',
    async () => {
      const { service, browser, email } = started;
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Suppressions');
      let exports = 0;
      await page.route('**/api/suppressions/export', (route) => {
        exports++;
        return route.continue();
      });
      const button = page.getByRole('button', { name: 'Export' });
      await Promise.all([page.waitForEvent('download'), button.evaluate(clickTwice)]);
      await Promise.all([page.waitForEvent('download'), button.click()]);
      expect(exports).toBe(2);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'adds recipients once, and says how many',
    async () => {
      const { page } = await openDraft(started);
      let uploads = 0;
      await page.route('**/recipients', (route) => {
        if (route.request().method() === 'POST') uploads++;
        return route.continue();
      });
      await page.getByLabel('Or paste').fill('email\nada@example.com\ngrace@example.com');
      await page.getByRole('button', { name: 'Add recipients' }).evaluate(clickTwice);
      await page.getByText('2 recipients added, 0 repeated').waitFor();
      await page.getByRole('heading', { name: '3. Recipients: 2' }).waitFor();
      expect(uploads).toBe(1);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

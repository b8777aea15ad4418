import { hold } from '../support/hold.js';
import { goTo, JOURNEY_MS, signedInPage } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('a page says once', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member');
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'what to do with the records of a new domain, of which none counts as missing before the first check',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await goTo(page, 'Domains');
      await page.getByRole('button', { name: 'Add domain' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Domain of your senders').fill('mail.acme.example');
      await dialog.getByRole('button', { name: 'Add domain' }).click();
      await page.getByRole('region', { name: 'ownership record' }).waitFor();
      expect(await page.getByText(/^Publish th/).allInnerTexts()).toEqual([
        expect.stringContaining('Publish these records where mail.acme.example has its DNS, then verify.'),
      ]);
      expect(await page.getByText('not found', { exact: true }).count()).toBe(0);
      expect(await page.getByText('not checked', { exact: true }).count()).toBe(4);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'what is wrong with a template, at its line, and offers no second attempt, which could not help',
    async () => {
      const { service, organization, browser, email } = started;
      const template = { name: 'Welcome', subject: 'Welcome', htmlContent: '<p>Hello</p>' };
      const { body } = await organization.post<{ id: string }>('/api/templates', template);
      const page = await signedInPage(browser, service, email);
      await page.goto(`${service.address}/templates/${body.id}`);
      await page.getByLabel('HTML or MJML').fill('<p>\n{{ oops</p>');
      await page.getByRole('button', { name: /^Go to line 2, column \d+$/ }).waitFor();
      const reasons = page.getByText('HTML or MJML is not a valid template');
      expect(await reasons.count()).toBe(1);
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      const { held, release } = hold();
      await page.route(`**/api/templates/${body.id}`, async (route) => {
        if (route.request().method() === 'PUT') await held;
        await route.continue();
      });
      await page.getByRole('button', { name: 'Save as a new version' }).click();
      await page.getByRole('button', { name: 'Saving …' }).waitFor();
      release();
      await page.getByRole('button', { name: 'Save as a new version' }).waitFor();
      expect(await reasons.count()).toBe(1);
      await page.getByLabel('HTML or MJML').fill('<p>Fine</p>');
      await page.frameLocator('iframe').getByText('Fine').waitFor();
      await reasons.waitFor({ state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

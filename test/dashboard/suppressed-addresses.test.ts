import type { Browser } from 'playwright-core';
import { newUser } from '../support/people.js';
import type { TestService } from '../support/service.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

let started: StartedDashboard;
let service: TestService;
let browser: Browser;

journeys('a suppressed address', () => {
  beforeAll(async () => {
    started = await startDashboard();
    ({ service, browser } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'has a page although no email went to it, which says why and allows mail again',
    async () => {
      const organization = await service.organization('pro', 'Acme');
      const { email } = await newUser(service, organization.organizationId, 'member');
      await organization.post('/api/suppressions', { address: 'tim@example.com', note: 'Asked by phone' });
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Suppressions');
      await page.getByRole('link', { name: 'tim@example.com' }).click();
      await page.getByRole('heading', { name: 'tim@example.com', level: 1 }).waitFor();
      await page.getByText('manual, Asked by phone').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.getByRole('button', { name: 'Allow mail again' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Allow mail again' }).click();
      await page.getByRole('button', { name: 'Suppress' }).waitFor();
      expect((await organization.get('/api/suppressions/tim@example.com')).status).toBe(404);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'is named by its text if it is no address',
    async () => {
      const { email } = await newUser(service, started.organization.organizationId, 'member');
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Suppressions');
      await page.getByRole('button', { name: 'Add addresses' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Addresses').fill('jane@example.com\n\nnobody, tim@example.com');
      await dialog.getByRole('button', { name: 'Suppress' }).click();
      await dialog
        .getByRole('alert')
        .getByText('nobody is not an email address')
        .waitFor({ timeout: STEP_MS / 3 });
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

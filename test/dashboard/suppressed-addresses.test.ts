import type { Browser } from 'playwright-core';
import { newUser } from '../support/people.js';
import type { TestService } from '../support/service.js';
import { goTo, JOURNEY_MS, signedInPage } from './dashboard-page.js';
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
});

import type { Browser } from 'playwright-core';
import { newUser } from '../support/people.js';
import { TestService } from '../support/service.js';
import { findChromium, openChromium } from './chromium.js';
import { goTo, JOURNEY_MS, signedInPage } from './dashboard-page.js';

const chromium = findChromium();
const journeys = chromium === undefined ? describe.skip : describe;

let service: TestService;
let browser: Browser;

journeys('a suppressed address', () => {
  beforeAll(async () => {
    service = await TestService.start();
    browser = await openChromium(chromium!);
  }, JOURNEY_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

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

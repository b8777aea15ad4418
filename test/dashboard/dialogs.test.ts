import type { Page } from 'playwright-core';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { hasFocus } from './keyboard.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const PHONE = { width: 390, height: 844 };

let started: DashboardOfUser;
let page: Page;

journeys('a dialog', () => {
  beforeAll(async () => {
    started = await startDashboardOf('owner');
  }, JOURNEY_MS);
  beforeEach(async () => {
    page = await signedInPage(started.browser, started.service, started.email);
    await goTo(page, 'API keys');
  }, JOURNEY_MS);
  afterEach(() => page?.context().close());
  afterAll(() => started?.stop());

  it(
    'keeps the keyboard focus when its form gives way to the result',
    async () => {
      await page.getByRole('button', { name: 'New key' }).click();
      const dialog = page.getByRole('dialog', { name: 'New key' });
      await dialog.getByLabel('Name').fill('CI');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByText('Copy the key now.').waitFor();
      expect(await hasFocus(dialog)).toBe(true);
      await page.keyboard.press('Tab');
      expect(await hasFocus(dialog.getByRole('button', { name: 'Copy the key' }))).toBe(true);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await dialog.waitFor({ state: 'detached' });
    },
    JOURNEY_MS,
  );

  it(
    'has a button that closes it, because phones have no Escape key',
    async () => {
      await page.setViewportSize(PHONE);
      await page.getByRole('button', { name: 'New key' }).click();
      const dialog = page.getByRole('dialog', { name: 'New key' });
      expect(await hasFocus(dialog.getByLabel('Name'))).toBe(true);
      await dialog.getByRole('button', { name: 'Close' }).click({ timeout: STEP_MS / 3 });
      await dialog.waitFor({ state: 'detached' });
      expect(await hasFocus(page.getByRole('button', { name: 'New key' }))).toBe(true);
    },
    JOURNEY_MS,
  );
});

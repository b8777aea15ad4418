import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
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

  it(
    'asks before it discards what was typed, each time, and keeps it otherwise',
    async () => {
      let leaves = false;
      const questions: string[] = [];
      page.on('dialog', (question) => {
        questions.push(question.message());
        void (leaves ? question.accept() : question.dismiss());
      });
      const create = page.getByRole('button', { name: 'New key' });
      const dialog = page.getByRole('dialog', { name: 'New key' });
      const name = dialog.getByLabel('Name');
      await create.click();
      await hasFocus(name);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(questions).toEqual([]);

      await create.click();
      await hasFocus(name);
      await page.keyboard.type('CI');
      await page.keyboard.press('Escape');
      await eventually(() => questions.length === 1, STEP_MS);
      expect(await hasFocus(name)).toBe(true);
      // The browser lets no page prevent a second one in a row.
      await page.keyboard.press('Escape');
      await eventually(() => questions.length === 2, STEP_MS);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await eventually(() => questions.length === 3, STEP_MS);
      expect(await name.inputValue()).toBe('CI');
      expect(new Set(questions)).toEqual(new Set(['What you have typed is not saved. Close without it?']));
      leaves = true;
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await hasFocus(create)).toBe(true);
    },
    JOURNEY_MS,
  );

  it(
    'asks about what was refused, but not about what was stored',
    async () => {
      const questions: string[] = [];
      page.on('dialog', (question) => {
        questions.push(question.message());
        void question.dismiss();
      });
      await page.getByRole('button', { name: 'New key' }).click();
      const dialog = page.getByRole('dialog', { name: 'New key' });
      await dialog.getByLabel('Name').fill('CI');
      await dialog.getByLabel('Sender domains').fill('not a domain');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByRole('alert').waitFor();
      await page.keyboard.press('Escape');
      await eventually(() => questions.length === 1, STEP_MS);
      await dialog.getByLabel('Sender domains').fill('');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(questions).toHaveLength(1);
    },
    JOURNEY_MS,
  );

  it(
    'asks its question before a key that is held down can answer it',
    async () => {
      await started.organization.post('/api/suppressions', { addresses: ['ada@example.com'] });
      await goTo(page, 'Suppressions');
      const row = page.getByRole('row', { name: /ada@example/ });
      await row.getByRole('button', { name: 'Remove ada@example.com', exact: true }).focus();
      for (let repeats = 0; repeats < 5; repeats++) await page.keyboard.down('Enter');
      await page.keyboard.up('Enter');
      const question = page.getByRole('dialog', {
        name: 'Remove',
        description: 'Mail may go to ada@example.com again.',
      });
      expect(await hasFocus(question)).toBe(true);
      await page.keyboard.press('Tab');
      expect(await hasFocus(question.getByRole('button', { name: 'Remove' }))).toBe(true);
      await page.keyboard.press('Enter');
      await row.waitFor({ state: 'detached' });
    },
    JOURNEY_MS,
  );

  it(
    'names what is wrong as its fields and choices are called',
    async () => {
      await page.getByRole('button', { name: 'New key' }).click();
      const dialog = page.getByRole('dialog', { name: 'New key' });
      await dialog.getByLabel('Name').fill('Build server');
      await dialog.getByLabel('Sender domains').fill('not a domain');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog
        .getByRole('alert')
        .getByText(/^Sender domains must be/)
        .waitFor();
      await dialog.getByLabel('send mail').uncheck();
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByRole('alert').getByText('Choose at least one thing that the key may do.').waitFor();
      await dialog.getByLabel('Sender domains').fill('');
      await dialog.getByLabel('change everything else').check();
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page
        .getByRole('row', { name: /Build server/ })
        .getByText('change everything else')
        .waitFor();
    },
    JOURNEY_MS,
  );

  it(
    'keeps what was typed when the session ends, until the user has signed in again',
    async () => {
      await goTo(page, 'Suppressions');
      await page.getByRole('button', { name: 'Add addresses' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add addresses' });
      await dialog.getByLabel('Addresses').fill('grace@example.com');
      const cookies = await page.context().cookies();
      await page.context().clearCookies();
      await dialog.getByRole('button', { name: 'Suppress' }).click();
      await dialog.getByText('Your session has ended').waitFor();
      await eventually(async () => (await dialog.getByRole('alert').count()) === 1, STEP_MS / 3);
      await page.context().addCookies(cookies);
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await dialog.getByText('Your session has ended').waitFor({ state: 'detached' });
      await dialog.getByRole('button', { name: 'Suppress' }).click();
      await page.getByRole('row', { name: /grace@example/ }).waitFor();
    },
    JOURNEY_MS,
  );

  it(
    'gives way to the sign-in when it is closed after the session has ended',
    async () => {
      await page.getByRole('button', { name: 'New key' }).click();
      const dialog = page.getByRole('dialog', { name: 'New key' });
      await dialog.getByLabel('Name').fill('CI');
      await page.context().clearCookies();
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByText('Your session has ended').waitFor();
      page.on('dialog', (question) => void question.accept());
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Sign in' }).waitFor({ timeout: STEP_MS / 3 });
    },
    JOURNEY_MS,
  );
});

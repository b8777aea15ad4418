import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('a page with a dialog', () => {
  beforeAll(async () => void (started = await startDashboardOf('owner')), JOURNEY_MS);
  afterAll(() => started?.stop());

  /** Holds a request of the page back, so that the user can go on meanwhile. */
  async function holdBack(page: Page, method: string, path: string) {
    const { held, release } = hold();
    let isSent = false;
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() !== method) return route.continue();
      isSent = true;
      await held;
      return route.continue();
    });
    return { release, sent: () => eventually(() => isSent, STEP_MS) };
  }

  /** The kinds of the questions that the page asks, each of which is dismissed. */
  function questionsOf(page: Page): string[] {
    const questions: string[] = [];
    page.on('dialog', (question) => {
      questions.push(question.type());
      void question.dismiss();
    });
    return questions;
  }

  it(
    'asks before the back button or a closed tab discards what was typed, but not once it is stored',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await goTo(page, 'API keys');
      let leaves = false;
      const questions: string[] = [];
      page.on('dialog', (question) => {
        questions.push(question.type());
        void (leaves ? question.accept() : question.dismiss());
      });
      await page.getByRole('button', { name: 'New key' }).click();
      const dialog = page.getByRole('dialog', { name: 'New key' });
      await dialog.getByLabel('Name').fill('CI');
      await page.goBack();
      await eventually(() => questions.length === 1, STEP_MS);
      await page.close({ runBeforeUnload: true });
      await eventually(() => questions.length === 2, STEP_MS);
      expect(questions).toEqual(['confirm', 'beforeunload']);
      await page.waitForURL('**/keys');
      expect(await dialog.getByLabel('Name').inputValue()).toBe('CI');

      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByText('Copy the key now.').waitFor();
      await dialog.getByRole('button', { name: 'Done' }).click();
      expect(questions).toHaveLength(2);
      await page.getByRole('button', { name: 'New key' }).click();
      await dialog.getByLabel('Name').fill('CI');
      leaves = true;
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      expect(questions).toHaveLength(3);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'goes to the new item without a question, also if the user types on while it is created',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await goTo(page, 'Templates');
      const questions = questionsOf(page);
      const { release, sent } = await holdBack(page, 'POST', '/api/templates');
      await page.getByRole('button', { name: 'New template' }).click();
      const dialog = page.getByRole('dialog', { name: 'New template' });
      await dialog.getByLabel('Name').fill('Welcome');
      await dialog.getByLabel('Subject').fill('Welcome');
      await dialog.getByRole('button', { name: 'Create template' }).click();
      await sent();
      await dialog.getByLabel('Subject').fill('Welcome, Ada');
      release();
      await page.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor({ timeout: STEP_MS / 3 });
      expect(questions).toEqual([]);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'asks again once a request is refused, also for what was typed meanwhile',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await goTo(page, 'Templates');
      const questions = questionsOf(page);
      const { held, release } = hold();
      await page.route('**/api/templates', async (route) => {
        await held;
        await route.fulfill({ status: 400, json: { error: 'The test refuses this' } });
      });
      await page.getByRole('button', { name: 'New template' }).click();
      const dialog = page.getByRole('dialog', { name: 'New template' });
      await dialog.getByLabel('Name').fill('Welcome');
      await dialog.getByLabel('Subject').fill('Welcome');
      await dialog.getByRole('button', { name: 'Create template' }).click();
      await dialog.getByLabel('Subject').fill('Welcome, Ada');
      release();
      await dialog.getByText('The test refuses this').waitFor();
      await page.keyboard.press('Escape');
      await eventually(() => questions.length === 1, STEP_MS);
      expect(await dialog.getByLabel('Subject').inputValue()).toBe('Welcome, Ada');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'makes way for the sign-in without a question once the user has signed out',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await goTo(page, 'API keys');
      const questions = questionsOf(page);
      const { release, sent } = await holdBack(page, 'DELETE', '/api/session');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await sent();
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByRole('dialog', { name: 'New key' }).getByLabel('Name').fill('CI');
      release();
      await page.getByRole('button', { name: 'Sign in' }).waitFor({ timeout: STEP_MS / 3 });
      expect(questions).toEqual([]);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

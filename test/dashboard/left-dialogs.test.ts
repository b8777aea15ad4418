import { eventually } from '../support/eventually.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('a page with a dialog', () => {
  beforeAll(async () => void (started = await startDashboardOf('owner')), JOURNEY_MS);
  afterAll(() => started?.stop());

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
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await goTo(page, 'API keys');
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
});

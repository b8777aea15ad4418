import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import { closeRouted, goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { hasFocus } from './keyboard.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 9 };
const UNCOPIED = 'You have not copied what is shown only now. Go on without it?';

let started: DashboardOfUser;
let page: Page;
let questions: string[];
let leaves: boolean;

journeys('a secret that is shown once', () => {
  beforeAll(async () => void (started = await startDashboardOf('owner')), JOURNEY_MS);
  beforeEach(async () => {
    page = await signedInPage(started.browser, started.service, started.email);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    questions = [];
    leaves = false;
    page.on('dialog', (question) => {
      questions.push(question.type() === 'confirm' ? question.message() : question.type());
      void (leaves ? question.accept() : question.dismiss());
    });
  }, JOURNEY_MS);
  afterEach(() => page && closeRouted(page));
  afterAll(() => started?.stop());

  const asked = (count: number): Promise<boolean> => eventually(() => questions.length === count, STEP_MS);

  async function newKey(): Promise<Locator> {
    await goTo(page, 'API keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New key' });
    await dialog.getByLabel('Name').fill('CI');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Copy the key now.').waitFor();
    return dialog;
  }

  it(
    'is not lost to the back button, a closed tab or Escape without a question',
    async () => {
      const dialog = await newKey();
      await page.goBack();
      await asked(1);
      await page.close({ runBeforeUnload: true });
      await asked(2);
      await page.keyboard.press('Escape');
      await asked(3);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await asked(4);
      expect(questions).toEqual([UNCOPIED, 'beforeunload', UNCOPIED, UNCOPIED]);
      await page.waitForURL('**/keys');
      await dialog.getByText('Copy the key now.').waitFor();
      leaves = true;
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      expect(questions).toHaveLength(5);
    },
    JOURNEY_MS,
  );

  it(
    'is left without a question once it was copied, or the user says that they are done',
    async () => {
      const dialog = await newKey();
      await dialog.getByRole('button', { name: 'Copy the key' }).click();
      await dialog.getByText('Copied').first().waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

      await newKey();
      await dialog.locator('pre').selectText();
      await page.keyboard.press('Control+C');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });

      await newKey();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(questions).toEqual([]);
    },
    JOURNEY_MS,
  );

  /** Rotates the secret of a new webhook. */
  async function rotateSecret(): Promise<{ readonly dialog: Locator; readonly rotate: Locator }> {
    const { body } = await started.organization.post<{ id: string }>('/api/webhooks', {
      url: 'https://hooks.example/mail',
      events: ['EMAIL_SENT'],
    });
    await goTo(page, 'Webhooks');
    await page.locator(`a[href="/webhooks/${body.id}"]`).click();
    const rotate = page.getByRole('button', { name: 'Rotate secret' });
    await rotate.click();
    await page.getByRole('dialog', { name: 'Rotate secret' }).getByRole('button', { name: 'Rotate secret' }).click();
    return { dialog: page.getByRole('dialog', { name: 'New secret' }), rotate };
  }

  it(
    'has the focus once a webhook got another one, and stays until it is copied',
    async () => {
      const { dialog, rotate } = await rotateSecret();
      await dialog.getByText('It is shown only now.').waitFor();
      await hasFocus(dialog.getByRole('button', { name: 'Copy the secret' }));
      await page.keyboard.press('Escape');
      await asked(1);
      expect(questions).toEqual([UNCOPIED]);
      await page.keyboard.press('Enter');
      await dialog.getByText('Copied').first().waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await hasFocus(rotate)).toBe(true);
      expect(questions).toHaveLength(1);
    },
    JOURNEY_MS,
  );

  it(
    'is shown while the page of its webhook is still read again, and asks before that page is left',
    async () => {
      const { held, release } = hold();
      let isRotated = false;
      await page.route('**/api/webhooks/**', async (route) => {
        if (route.request().method() === 'POST') isRotated = true;
        else if (isRotated) await held;
        await route.continue();
      });
      const { dialog } = await rotateSecret();
      await dialog.getByText('It is shown only now.').waitFor(SOON);
      await page.goBack();
      await asked(1);
      expect(questions).toEqual([UNCOPIED]);
      release();
    },
    JOURNEY_MS,
  );
});

import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import type { TestClient, TestService } from '../support/service.js';
import { fillSignIn, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const MESSAGE = { subject: 'Welcome', htmlContent: '<p>Welcome</p>' };
const INVALID = '<p>\n  {% if %}\n</p>';

let started: DashboardOfUser;
let service: TestService;
let organization: TestClient;
let browser: Browser;
let email: string;

journeys('work that is not saved', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member');
    ({ service, organization, browser, email } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  /** The page of a new item, and the editor of its message. */
  async function openNew(path: '/templates' | '/broadcasts', fields: object) {
    const { body } = await organization.post<{ id: string }>(`/api${path}`, { ...MESSAGE, ...fields });
    const page = await signedInPage(browser, service, email);
    // By the navigation, so that there is a page to go back to.
    await page.getByRole('navigation').locator(`a[href="${path}"]`).click();
    await page.locator(`a[href="${path}/${body.id}"]`).click();
    const source = page.getByLabel('HTML or MJML');
    await source.waitFor();
    return { id: body.id, page, source };
  }

  const openTemplate = () => openNew('/templates', { name: 'Welcome' });
  const openDraft = () => openNew('/broadcasts', { name: 'Spring sale', from: 'ada@acme.example' });

  /** The questions that the page asks, each of which gets the same answer. */
  function answer(page: Page, leaves: boolean): string[] {
    const questions: string[] = [];
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void (leaves ? dialog.accept() : dialog.dismiss());
    });
    return questions;
  }

  it(
    'stays in the editor of a draft while the service cannot be reached',
    async () => {
      const { id, page, source } = await openDraft();
      let failed = 0;
      await page.route(`**/api/broadcasts/${id}`, async (route) => {
        failed += 1;
        // A status that is not retried, so that the page learns of it at once.
        await route.fulfill({ status: 403, json: { error: 'The test refuses this' } });
      });
      await source.fill('<p>Good day</p>');
      await page.getByRole('status').getByText('Not saved').waitFor();
      const failedBefore = failed;
      await eventually(() => failed >= failedBefore + 2, STEP_MS);
      expect(await source.inputValue()).toBe('<p>Good day</p>');
      await page.unroute(`**/api/broadcasts/${id}`);
      await source.fill('<p>Good evening</p>');
      await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'is replaced in a template by an earlier version only after a question',
    async () => {
      const { page, source } = await openTemplate();
      await source.fill('<p>Good day</p>');
      await page.getByText('not saved yet').waitFor();
      await page.getByRole('button', { name: 'Edit version 1' }).click();
      const question = page.getByRole('dialog', { name: 'Edit', description: /not saved/ });
      await question.getByRole('button', { name: 'Keep as it is' }).click();
      expect(await source.inputValue()).toBe('<p>Good day</p>');
      await page.getByRole('button', { name: 'Edit version 1' }).click();
      await question.getByRole('button', { name: 'Edit' }).click();
      await page.getByText('not saved yet').waitFor({ state: 'detached' });
      expect(await source.inputValue()).toBe('<p>Welcome</p>');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'asks before a changed template is left by a link or the back button',
    async () => {
      const { id, page, source } = await openTemplate();
      await source.fill('<p>Good day</p>');
      await page.getByText('not saved yet').waitFor();
      const questions = answer(page, false);
      await page.getByRole('navigation').getByRole('link', { name: 'Emails' }).click();
      await eventually(() => questions.length === 1, STEP_MS);
      await page.goBack();
      await eventually(() => questions.length === 2, STEP_MS);
      expect(questions).toEqual(Array(2).fill('Your latest changes are not saved. Leave this page without them?'));
      await page.waitForURL(`**/templates/${id}`);
      expect(await source.inputValue()).toBe('<p>Good day</p>');

      await page.getByRole('button', { name: 'Save as a new version' }).click();
      await page.getByText('Saved as version 2').waitFor();
      await source.fill('<p>Good evening</p>');
      await page.getByText('not saved yet').waitFor();
      answer(page, true);
      await page.goBack();
      await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'outlives the session: a template is saved after the next sign-in',
    async () => {
      const { page, source } = await openTemplate();
      await source.fill('<p>Good day</p>');
      await page.getByText('not saved yet').waitFor();
      await page.context().clearCookies();
      await source.fill('<p>Good evening</p>');
      const ended = page.getByRole('alert').filter({ hasText: 'Your session has ended' });
      await ended.waitFor();
      const [other] = await Promise.all([
        page.waitForEvent('popup'),
        ended.getByRole('link', { name: 'Sign in in another tab' }).click(),
      ]);
      await fillSignIn(other, email);
      await other.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await ended.getByRole('button', { name: 'Continue' }).click();
      await ended.waitFor({ state: 'detached' });
      expect(await source.inputValue()).toBe('<p>Good evening</p>');
      await page.getByRole('button', { name: 'Save as a new version' }).click();
      await page.getByText('Saved as version 2').waitFor();
      await page.context().clearCookies();
      await source.fill('<p>Good night</p>');
      await ended.waitFor();
      await source.fill('<p>Good evening</p>');
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'asks before a draft is left that cannot be saved, but not when it is deleted',
    async () => {
      const { page, source } = await openDraft();
      await source.fill(INVALID);
      await page.getByRole('status').getByText('Not saved').waitFor();
      const questions = answer(page, false);
      await page.getByRole('navigation').getByRole('link', { name: 'Emails' }).click();
      await eventually(() => questions.length === 1, STEP_MS);
      expect(await source.inputValue()).toBe(INVALID);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'Broadcasts', level: 1 }).waitFor();
      expect(questions).toHaveLength(1);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'asks before a draft is left that could not be saved, also while it is saved again',
    async () => {
      const { id, page, source } = await openDraft();
      await source.fill(INVALID);
      await page.getByRole('status').getByText('Not saved').waitFor();
      // The response to the next attempt never arrives.
      await page.route(`**/api/broadcasts/${id}`, () => undefined);
      await source.fill(`${INVALID}<p>More</p>`);
      await page.getByRole('status').getByText('Saving …').waitFor();
      const questions = answer(page, false);
      await page.getByRole('navigation').getByRole('link', { name: 'Emails' }).click();
      await eventually(() => questions.length === 1, STEP_MS);
      expect(await source.inputValue()).toBe(`${INVALID}<p>More</p>`);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'is saved again once a change is taken back',
    async () => {
      const { page, source } = await openDraft();
      await source.fill(INVALID);
      await page.getByRole('status').getByText('Not saved').waitFor();
      await source.fill(MESSAGE.htmlContent);
      await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

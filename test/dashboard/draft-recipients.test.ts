import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import { JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };

let started: DashboardOfUser;

journeys('the recipients of a draft', () => {
  beforeAll(async () => void (started = await startDashboardOf('owner')), JOURNEY_MS);
  afterAll(() => started?.stop());

  /** Holds the next requests for a path. @returns lets them go */
  async function holdRequests(page: Page, path: string): Promise<() => void> {
    const { held, release } = hold();
    await page.route(`**${path}`, async (route) => {
      await held;
      // The page may have given up the request.
      await route.continue().catch(() => undefined);
    });
    return release;
  }

  /** Those from whom one chooses for the preview. */
  const choiceOf = (path: string) => `${path}/recipients?limit=20`;

  const testSubject = () =>
    eventually(() =>
      started.service.mailServer.messages
        .filter(({ recipients }) => recipients.includes(started.email))
        .map(({ content }) => /^Subject: (\[Test\].*)\r$/m.exec(content.toString())?.[1])
        .at(-1),
    );

  it(
    'that were just added are awaited by a test, whose variables they have',
    async () => {
      const { page, path } = await openDraft(started);
      await page.getByText('nobody yet: variables are empty').waitFor({ ...SOON, state: 'attached' });
      await page.getByLabel('Subject').fill('Hello, {{ name }}');
      const release = await holdRequests(page, choiceOf(path));
      await page.getByLabel(/^Or paste/).fill('email,name\nada@example.com,Ada');
      await page.getByRole('button', { name: 'Add recipients' }).click();
      await page.getByRole('heading', { name: '3. Recipients: 1' }).waitFor(SOON);
      expect(await page.getByText('nobody yet: variables are empty').count()).toBe(0);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByRole('button', { name: 'Send a test …' }).waitFor(SOON);
      release();
      await page.getByText('The test is on its way').waitFor(SOON);
      expect(await testSubject()).toBe('[Test] Hello, Ada');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'that were just added are awaited before the page has counted them, too',
    async () => {
      const { page, path } = await openDraft(started);
      await page.getByText('nobody yet: variables are empty').waitFor({ ...SOON, state: 'attached' });
      await page.getByLabel('Subject').fill('Dear {{ name }}');
      const letGo = [await holdRequests(page, choiceOf(path)), await holdRequests(page, path)];
      await page.getByLabel(/^Or paste/).fill('email,name\nada@example.com,Ada');
      await page.getByRole('button', { name: 'Add recipients' }).click();
      await page.getByText('1 recipient added').waitFor(SOON);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByRole('button', { name: 'Send a test …' }).waitFor(SOON);
      for (const release of letGo) release();
      await page.getByText('The test is on its way').waitFor(SOON);
      expect(await testSubject()).toBe('[Test] Dear Ada');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'that are still being added delay no test for one who is known',
    async () => {
      const { page, path } = await openDraft(started);
      const [ada, alan] = ['ada', 'alan'].map((name) => ({ to: `${name}@example.com`, variables: { name } }));
      await started.organization.post(`${path}/recipients`, { recipients: [ada] });
      await page.getByRole('heading', { name: '3. Recipients: 1' }).waitFor(SOON);
      await page.getByRole('option', { name: 'ada@example.com' }).waitFor({ ...SOON, state: 'attached' });
      await page.getByLabel('Subject').fill('Good evening, {{ name }}');
      await holdRequests(page, choiceOf(path));
      await started.organization.post(`${path}/recipients`, { recipients: [alan] });
      await page.getByRole('heading', { name: '3. Recipients: 2' }).waitFor(SOON);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The test is on its way').waitFor(SOON);
      expect(await testSubject()).toBe('[Test] Good evening, ada');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'that are added while a test waits for the others are awaited, too',
    async () => {
      const { page, path } = await openDraft(started);
      const release = await holdRequests(page, choiceOf(path));
      await page.reload();
      await page.getByLabel('Subject').fill('Good day, {{ name }}');
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByRole('button', { name: 'Send a test …' }).waitFor(SOON);
      const recipients = [{ to: 'grace@example.com', variables: { name: 'Grace' } }];
      const next = page.waitForRequest(`**${choiceOf(path)}`);
      await started.organization.post(`${path}/recipients`, { recipients });
      await next;
      release();
      await page.getByText('The test is on its way').waitFor(SOON);
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await testSubject()).toBe('[Test] Good day, Grace');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'can be added while the page is still read again after earlier ones',
    async () => {
      const { page, path } = await openDraft(started);
      await page.getByText('nobody yet: variables are empty').waitFor({ ...SOON, state: 'attached' });
      await holdRequests(page, `${path}/message`);
      const pasted = page.getByLabel(/^Or paste/);
      await pasted.fill('ada@example.com');
      await page.getByRole('button', { name: 'Add recipients' }).click();
      await page.getByText('1 recipient added').waitFor(SOON);
      await pasted.fill('grace@example.com');
      await page.getByRole('button', { name: 'Add recipients' }).click(SOON);
      await page.getByRole('heading', { name: '3. Recipients: 2' }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'of a file are no longer offered once they are added, although text that was pasted before it is refused',
    async () => {
      const { page } = await openDraft(started);
      await page.getByLabel(/^Or paste/).fill('ada@example.com,"Ada\ngrace@example.com,Grace');
      const refusal = page.getByRole('alert').getByText(/^Line 1 begins a field/);
      await refusal.waitFor(SOON);
      const file = { name: 'r.csv', mimeType: 'text/csv', buffer: Buffer.from('email\nalan@example.com\n') };
      await page.getByLabel('CSV file').setInputFiles(file);
      await page.getByRole('button', { name: 'Add recipients' }).click();
      await page.getByText('1 recipient added').waitFor(SOON);
      await refusal.waitFor(SOON);
      await page.getByRole('button', { name: /^Add/ }).waitFor({ ...SOON, state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

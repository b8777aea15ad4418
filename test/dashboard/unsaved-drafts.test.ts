import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import type { TestClient } from '../support/service.js';
import { JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;
let organization: TestClient;

journeys('a draft of a broadcast', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member');
    ({ organization } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'is saved without another change once the service can be reached again',
    async () => {
      const { page, path } = await openDraft(started);
      await page.route(`**${path}`, (route) =>
        route.request().method() === 'PUT' ? route.abort('connectionreset') : route.continue(),
      );
      await page.getByLabel('Subject').fill('Good day');
      await page.getByRole('status').getByText('Not saved').waitFor();
      await page.unroute(`**${path}`);
      await page
        .getByRole('status')
        .getByText('Saved', { exact: true })
        .waitFor({ timeout: STEP_MS / 3 });
      expect((await organization.get<{ subject: string }>(path)).body.subject).toBe('Good day');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'asks before it is left with recipients that were pasted and not added, but not when it is deleted',
    async () => {
      const { page, path } = await openDraft(started);
      const questions: string[] = [];
      page.on('dialog', (dialog) => {
        questions.push(dialog.message());
        void dialog.dismiss();
      });
      const pasted = page.getByLabel(/^Or paste/);
      await pasted.fill('ada@example.com\ngrace@example.com');
      await page.getByRole('button', { name: 'Add recipients' }).waitFor();
      await page.getByRole('navigation').getByRole('link', { name: 'Emails' }).click();
      await eventually(() => questions.length === 1, STEP_MS / 3);
      expect(await pasted.inputValue()).toBe('ada@example.com\ngrace@example.com');
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'Broadcasts', level: 1 }).waitFor();
      expect(questions).toHaveLength(1);
      expect((await organization.get(path)).status).toBe(404);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'asks before it is left with pasted recipients that are refused',
    async () => {
      const { page } = await openDraft(started);
      const pasted = page.getByLabel(/^Or paste/);
      await pasted.fill('ada@example.com,"Ada\ngrace@example.com,Grace');
      await page
        .getByRole('alert')
        .getByText(/^Line 1 begins a field/)
        .waitFor({ timeout: STEP_MS / 3 });
      let questions = 0;
      page.on('dialog', (dialog) => {
        questions += 1;
        void dialog.dismiss();
      });
      await page.getByRole('navigation').getByRole('link', { name: 'Emails' }).click();
      await eventually(() => questions === 1, STEP_MS / 3);
      expect(await pasted.inputValue()).toContain('Grace');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'keeps what is pasted while earlier recipients are added',
    async () => {
      const { page, path } = await openDraft(started);
      const { held, release } = hold();
      await page.route(`**${path}/recipients`, async (route) => {
        if (route.request().method() === 'POST') await held;
        await route.continue();
      });
      const pasted = page.getByLabel(/^Or paste/);
      await pasted.fill('ada@example.com');
      await page.getByRole('button', { name: 'Add recipients' }).click();
      await page.getByRole('progressbar', { name: 'Adding recipients' }).waitFor();
      await pasted.fill('grace@example.com');
      release();
      await page.getByText('1 recipient added').waitFor();
      expect(await pasted.inputValue()).toBe('grace@example.com');
      await page.getByRole('button', { name: 'Add recipients' }).click();
      await page.getByRole('heading', { name: '3. Recipients: 2' }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

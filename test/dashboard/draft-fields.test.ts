import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import type { TestClient } from '../support/service.js';
import { clickTwice } from './click-twice.js';
import { goTo, JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const MESSAGE = { subject: 'Welcome', htmlContent: '<p>Welcome</p>' };
/** More than a page of the API that lists use. */
const TEMPLATES = 101;

let started: DashboardOfUser;
let organization: TestClient;
let email: string;

journeys('a draft of a broadcast', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member', { RATE_LIMIT_PER_MINUTE: '0' });
    ({ organization, email } = started);
    for (let number = 1; number <= TEMPLATES; number++)
      await organization.post('/api/templates', { ...MESSAGE, name: `Template ${number}`, subject: `Of ${number}` });
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  const choice = (page: Page) => page.getByLabel('Replace the message with a template');

  it(
    'can begin with every template, and take the message of every one',
    async () => {
      const { page } = await openDraft(started);
      await choice(page).selectOption({ label: 'Template 1 (version 1)' });
      await page.getByRole('button', { name: 'Replace' }).click();
      const question = page.getByRole('dialog', { name: 'Replace', description: /You lose what you have written/ });
      await question.waitFor();
      expect(await page.getByLabel('Subject').inputValue()).toBe('Welcome');
      await question.getByRole('button', { name: 'Replace' }).click();
      await eventually(async () => (await page.getByLabel('Subject').inputValue()) === 'Of 1', STEP_MS);
      await page.getByRole('button', { name: 'Replace' }).waitFor({ state: 'detached' });
      expect(await choice(page).inputValue()).toBe('');
      await goTo(page, 'Broadcasts');
      await page.getByRole('button', { name: 'New broadcast' }).click();
      await page.getByLabel('Message').selectOption({ label: 'Template 1 (version 1)' });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'keeps what its form does not show when it is saved: campaign, tags and headers',
    async () => {
      const { page, path } = await openDraft(started);
      const hidden = { campaignId: 'Spring', tags: ['sale'], headers: { 'X-Sale': 'spring' } };
      const changed = await organization.put(path, { name: 'B', from: 'ada@acme.example', ...MESSAGE, ...hidden });
      expect(changed.status).toBe(200);
      await page.reload();
      await page.getByLabel('Subject').fill('Good day');
      await eventually(
        async () => (await organization.get<{ subject: string }>(path)).body.subject === 'Good day',
        STEP_MS,
      );
      const { campaignId, tags } = (await organization.get<{ campaignId: string; tags: string[] }>(path)).body;
      expect({ campaignId, tags }).toEqual({ campaignId: expect.any(String), tags: ['sale'] });
      const message = (await organization.get<{ headers: object }>(`${path}/message`)).body;
      expect(message.headers).toEqual(hidden.headers);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'says why a template cannot be taken, and stays as it is',
    async () => {
      const { page } = await openDraft(started);
      const errors: string[] = [];
      page.on('pageerror', (error) => void errors.push(error.message));
      await page.route(/\/api\/templates\/[\w-]+$/, (route) =>
        route.fulfill({ status: 404, json: { error: 'Template not found' } }),
      );
      await choice(page).selectOption({ label: 'Template 101 (version 1)' });
      await page.getByRole('button', { name: 'Replace' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
      await page
        .getByRole('alert')
        .getByText('Template not found')
        .waitFor({ timeout: STEP_MS / 3 });
      await page.getByRole('button', { name: 'Keep as it is' }).click();
      expect(await page.getByLabel('Subject').inputValue()).toBe('Welcome');
      expect(errors).toEqual([]);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'sends one test for a double click on a busy page',
    async () => {
      const { page } = await openDraft(started);
      let sent = 0;
      await page.route('**/api/send', (route) => {
        sent++;
        return route.continue();
      });
      await page.getByRole('button', { name: 'Send a test' }).evaluate(clickTwice);
      await page.getByText(`The test is on its way to ${email}.`).waitFor();
      expect(sent).toBe(1);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await eventually(() => sent === 2, STEP_MS / 3);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'is sent now, and says so, once the time at which it should begin has passed',
    async () => {
      const { page, path } = await openDraft(started);
      await organization.post(`${path}/recipients`, { recipients: [{ to: 'ada@example.com' }] });
      const id = path.split('/').at(-1);
      await started.service.database.query(`update broadcasts set send_at = now() - interval '1 hour' where id = $1`, [
        id,
      ]);
      await page.reload();
      expect(await page.getByLabel('At a time').isChecked()).toBe(true);
      await page.getByText('This time has passed').waitFor({ timeout: STEP_MS / 3 });
      await page.getByRole('button', { name: 'Send now' }).click();
      await page.getByText(/^1 person will get this message from ada@acme\.example, now\.$/).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

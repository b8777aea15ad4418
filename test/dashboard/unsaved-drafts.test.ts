import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { findChromium, openChromium } from './chromium.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';

const chromium = findChromium();
const journeys = chromium === undefined ? describe.skip : describe;

const MESSAGE = { subject: 'Welcome', htmlContent: '<p>Welcome</p>' };

let service: TestService;
let organization: TestClient;
let browser: Browser;
let email: string;

journeys('a draft of a broadcast', () => {
  beforeAll(async () => {
    service = await TestService.start();
    organization = await service.organization('pro', 'Acme');
    ({ email } = await newUser(service, organization.organizationId, 'member'));
    browser = await openChromium(chromium!);
  }, JOURNEY_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  async function openDraft(): Promise<{ page: Page; path: string }> {
    const draft = { ...MESSAGE, name: 'Spring sale', from: 'ada@acme.example' };
    const { id } = (await organization.post<{ id: string }>('/api/broadcasts', draft)).body;
    const page = await signedInPage(browser, service, email);
    await page.goto(`${service.address}/broadcasts/${id}`);
    await page.getByLabel('HTML or MJML').waitFor();
    return { page, path: `/api/broadcasts/${id}` };
  }

  it(
    'is saved without another change once the service can be reached again',
    async () => {
      const { page, path } = await openDraft();
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
      const { page, path } = await openDraft();
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
    'keeps what is pasted while earlier recipients are added',
    async () => {
      const { page, path } = await openDraft();
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
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

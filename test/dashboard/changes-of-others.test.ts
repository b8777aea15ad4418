import type { Browser } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { findChromium, openChromium } from './chromium.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';

const chromium = findChromium();
const journeys = chromium === undefined ? describe.skip : describe;

let service: TestService;
let organization: TestClient;
let browser: Browser;
let email: string;

journeys('pages show what others change', () => {
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

  const put = (path: string, body: object) =>
    organization.request(path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  const MESSAGE = { subject: 'Welcome', htmlContent: '<p>Welcome</p>' };

  it(
    'a template that was seen before opens with its newest version, and follows it until it is edited',
    async () => {
      const template = { ...MESSAGE, name: 'Welcome' };
      const path = `/api/templates/${(await organization.post<{ id: string }>('/api/templates', template)).body.id}`;
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Templates');
      await page.getByRole('link', { name: 'Welcome' }).click();
      const source = page.getByLabel('HTML or MJML');
      await source.waitFor();
      await goTo(page, 'Templates');
      await put(path, { ...template, htmlContent: '<p>Second</p>' });
      await page.getByRole('link', { name: 'Welcome' }).click();
      await page.getByText('Version 2, saved').waitFor();
      expect(await source.inputValue()).toBe('<p>Second</p>');
      expect(await page.getByText('not saved yet').count()).toBe(0);

      // As a computer that wakes up later.
      await page.clock.setFixedTime(Date.now() + 60_000);
      await page.context().setOffline(true);
      await put(path, { ...template, htmlContent: '<p>Third</p>' });
      await page.context().setOffline(false);
      await page.getByText('Version 3, saved').waitFor();
      expect(await source.inputValue()).toBe('<p>Third</p>');
      expect(await page.getByText('not saved yet').count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a draft that was seen before opens as it is now',
    async () => {
      const draft = { ...MESSAGE, name: 'Spring sale', from: 'ada@acme.example' };
      const path = `/api/broadcasts/${(await organization.post<{ id: string }>('/api/broadcasts', draft)).body.id}`;
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Broadcasts');
      await page.getByRole('link', { name: 'Spring sale' }).click();
      await page.getByLabel('HTML or MJML').waitFor();
      await goTo(page, 'Broadcasts');
      await put(path, { ...draft, from: 'grace@acme.example', pace: 60 });
      await page.getByRole('link', { name: 'Spring sale' }).click();
      await page.getByLabel('HTML or MJML').waitFor();
      expect(await page.getByRole('textbox', { name: 'From', exact: true }).inputValue()).toBe('grace@acme.example');
      await page.getByLabel('Subject').fill('Good day');
      const read = async () =>
        (await organization.get<{ subject: string; from: string; pace: number | null }>(path)).body;
      await eventually(async () => (await read()).subject === 'Good day', STEP_MS);
      expect(await read()).toMatchObject({ from: 'grace@acme.example', pace: 60 });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a draft that is opened again at once has what was typed last',
    async () => {
      const draft = { ...MESSAGE, name: 'Summer sale', from: 'ada@acme.example' };
      const { id } = (await organization.post<{ id: string }>('/api/broadcasts', draft)).body;
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Broadcasts');
      await page.getByRole('link', { name: 'Summer sale' }).click();
      const source = page.getByLabel('HTML or MJML');
      await source.waitFor();
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const saving = page.waitForRequest((request) => request.method() === 'PUT');
      await page.route(`**/api/broadcasts/${id}`, async (route) => {
        if (route.request().method() === 'PUT') await held;
        await route.continue();
      });
      await source.fill('<p>Good day</p>');
      await goTo(page, 'Broadcasts');
      await saving;
      const read = page.waitForResponse(`**/api/broadcasts/${id}`);
      await page.getByRole('link', { name: 'Summer sale' }).click();
      await read;
      release();
      await source.waitFor();
      expect(await source.inputValue()).toBe('<p>Good day</p>');
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

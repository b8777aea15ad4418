import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import { newUser } from '../support/people.js';
import type { TestClient, TestService } from '../support/service.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';
import { hasFocus } from './keyboard.js';

let started: DashboardOfUser;
let service: TestService;
let organization: TestClient;
let browser: Browser;
let email: string;

journeys('pages show what others change', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member', { RATE_LIMIT_PER_MINUTE: '0' });
    ({ service, organization, browser, email } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  const send = (to: string, fields: object = {}) =>
    organization.post('/api/send', {
      ...{ from: 'ada@acme.example', to, subject: 'Hello', htmlContent: '<p>Hello</p>' },
      ...fields,
    });

  const MESSAGE = { subject: 'Welcome', htmlContent: '<p>Welcome</p>' };

  /** The value of a figure, by its name. */
  const figure = (page: Page, name: string) => page.locator('.figure').filter({ hasText: name }).locator('dd').first();

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
      await organization.put(path, { ...template, htmlContent: '<p>Second</p>' });
      await page.getByRole('link', { name: 'Welcome' }).click();
      await page.getByText('Version 2, saved').waitFor();
      expect(await source.inputValue()).toBe('<p>Second</p>');
      expect(await page.getByText('not saved yet').count()).toBe(0);

      // As a computer that wakes up later.
      await page.clock.setFixedTime(Date.now() + 60_000);
      await page.context().setOffline(true);
      await organization.put(path, { ...template, htmlContent: '<p>Third</p>' });
      await page.context().setOffline(false);
      await page.getByText('Version 3, saved').waitFor();
      expect(await source.inputValue()).toBe('<p>Third</p>');
      expect(await page.getByText('not saved yet').count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'the keyboard continues at the content when the element with the focus is removed',
    async () => {
      const template = { ...MESSAGE, name: 'Farewell' };
      const { body } = await organization.post<{ id: string }>('/api/templates', template);
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Templates');
      const link = page.getByRole('link', { name: 'Farewell' });
      await link.focus();
      await page.clock.setFixedTime(Date.now() + 60_000);
      await page.context().setOffline(true);
      await organization.delete(`/api/templates/${body.id}`);
      await page.context().setOffline(false);
      await link.waitFor({ state: 'detached' });
      await hasFocus(page.getByRole('main'));
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
      await organization.put(path, { ...draft, from: 'grace@acme.example', pace: 60, tags: ['spring'] });
      await page.getByRole('link', { name: 'Spring sale' }).click();
      await page.getByLabel('HTML or MJML').waitFor();
      expect(await page.getByRole('textbox', { name: 'From', exact: true }).inputValue()).toBe('grace@acme.example');
      await page.getByLabel('Subject').fill('Good day');
      const read = async () =>
        (await organization.get<{ subject: string; from: string; pace: number | null; tags: string[] }>(path)).body;
      await eventually(async () => (await read()).subject === 'Good day', STEP_MS);
      expect(await read()).toMatchObject({ from: 'grace@acme.example', pace: 60, tags: ['spring'] });
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
      const { held, release } = hold();
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

  it(
    'a contact, the suppressions and the campaigns follow live events',
    async () => {
      await send('reader@example.com');
      const page = await signedInPage(browser, service, email);
      const other = await page.context().newPage();
      const third = await page.context().newPage();
      for (const [tab, path] of [
        [page, '/contacts/reader%40example.com'],
        [other, '/suppressions'],
        [third, '/campaigns'],
      ] as const) {
        tab.setDefaultTimeout(STEP_MS / 2);
        await tab.goto(service.address + path);
        await tab.getByText('Live', { exact: true }).waitFor();
      }
      await figure(page, 'Emails').getByText('1', { exact: true }).waitFor();
      await other.getByRole('heading', { name: 'No suppressed addresses' }).waitFor();
      await third.getByRole('heading', { name: 'No active campaigns' }).waitFor();
      service.mailServer.scripts.add('gone@example.com', { phase: 'rcpt', reply: '550 5.1.1 No such user' }, 1);
      await send('reader@example.com', { campaignId: 'First steps' });
      await send('gone@example.com');
      await third.getByRole('link', { name: 'First steps' }).waitFor();
      await figure(page, 'Emails').getByText('2', { exact: true }).waitFor();
      await other.getByRole('link', { name: 'gone@example.com', exact: true }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'slow figures and lists are shown although more changes arrive meanwhile',
    async () => {
      const slow = await service.organization('pro', 'Slow');
      const user = await newUser(service, slow.organizationId, 'viewer');
      const hello = { from: 'ada@acme.example', to: 'reader@example.com', ...MESSAGE };
      await slow.post('/api/send', hello);
      const page = await signedInPage(browser, service, user.email);
      await page.getByText('Live', { exact: true }).waitFor();
      await figure(page, 'Sent').getByText('1', { exact: true }).waitFor();
      await page.route(/\/api\/(stats|emails)\?/, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 4_000));
        await route.continue().catch(() => undefined);
      });
      const changes = async () => {
        await slow.post('/api/send', { ...hello, subject: 'Newer' });
        return (await figure(page, 'Sent').getByText('1', { exact: true }).count()) === 0;
      };
      await eventually(changes, 30_000);
      await goTo(page, 'Emails');
      await page.getByRole('table', { name: 'Emails' }).waitFor();
      const appears = async () => {
        await slow.post('/api/send', { ...hello, subject: 'Newest' });
        return (await page.getByRole('link', { name: 'Newest' }).count()) > 0;
      };
      await eventually(appears, 30_000);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

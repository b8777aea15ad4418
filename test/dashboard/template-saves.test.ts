import type { Page } from 'playwright-core';
import type { TemplateDetail } from '../../src/templates/template-view.js';
import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };
const TEMPLATE = { name: 'Welcome', subject: 'Welcome', htmlContent: '<p>Welcome</p>' };
const OTHERS = { ...TEMPLATE, subject: 'Good day' };

let started: DashboardOfUser;
let page: Page;
let path: string;

journeys('a template that a page saves', () => {
  beforeAll(async () => void (started = await startDashboardOf('member', { RATE_LIMIT_PER_MINUTE: '0' })), JOURNEY_MS);
  beforeEach(async () => {
    const { id } = (await started.organization.post<{ id: string }>('/api/templates', TEMPLATE)).body;
    path = `/api/templates/${id}`;
    page = await signedInPage(started.browser, started.service, started.email);
    await page.goto(`${started.service.address}/templates/${id}`);
    await field('Subject').waitFor();
  }, JOURNEY_MS);
  afterEach(() => page?.context().close());
  afterAll(() => started?.stop());

  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name });
  const notice = (version: number) =>
    page.getByRole('alert').filter({ hasText: `Version ${version} was saved meanwhile` });
  const saveOther = () => started.organization.put(path, OTHERS);
  const read = async (route = path) => (await started.organization.get<TemplateDetail>(route)).body;

  /** Saves, without learning that it has saved, nor of the new version. */
  async function saveWithoutResponse(): Promise<void> {
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() === 'GET') return route.abort();
      await route.fetch();
      return route.fulfill({ status: 500, json: { error: 'It is broken' } });
    });
    await field('Subject').fill('One');
    await button('Save as a new version').click();
    await page.getByText('It is broken').waitFor(SOON);
  }

  it(
    'has no conflict of a page with itself, when it does not learn that it has saved',
    async () => {
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        await route.fetch();
        return route.fulfill({ status: 500, json: { error: 'It is broken' } });
      });
      await field('Subject').fill('One');
      await button('Save as a new version').click();
      await page.getByText('It is broken').waitFor(SOON);
      await page.getByText('Version 2, saved').waitFor(SOON);
      await page.unroute(`**${path}`);
      await field('Subject').fill('Two');
      await button('Save as a new version').click();
      await page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Two', version: 3 });
    },
    JOURNEY_MS,
  );

  it(
    'has no conflict of a page with itself, when more is typed before it learns that it has saved',
    async () => {
      const { held, release } = hold();
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() === 'GET') {
          await held;
          return route.continue().catch(() => undefined);
        }
        await route.fetch();
        return route.fulfill({ status: 500, json: { error: 'It is broken' } });
      });
      await field('Subject').fill('One');
      await button('Save as a new version').click();
      await page.getByText('It is broken').waitFor(SOON);
      await field('Subject').fill('Two');
      release();
      await page.getByText('Version 2, saved').waitFor(SOON);
      expect(await notice(2).count()).toBe(0);
      await page.unroute(`**${path}`);
      await button('Save as a new version').click();
      await page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Two', version: 3 });
    },
    JOURNEY_MS,
  );

  it(
    'has no conflict of a page with itself, when it saves more before it learns that it has saved',
    async () => {
      await saveWithoutResponse();
      await field('Subject').fill('Two');
      await page.unroute(`**${path}`);
      await button('Save as a new version').click();
      await page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Two', version: 3 });
    },
    JOURNEY_MS,
  );

  it(
    'has no conflict of a page with itself, when the repetition of a save without a response is refused',
    async () => {
      let attempts = 0;
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() === 'GET') return route.abort();
        attempts += 1;
        if (attempts > 1) {
          // For longer than the client library waits.
          const headers = { 'retry-after': '120' };
          return route.fulfill({ status: 429, headers, json: { error: 'These are too many' } });
        }
        await route.fetch();
        return route.fulfill({ status: 502, body: 'Bad Gateway' });
      });
      await field('Subject').fill('One');
      await button('Save as a new version').click();
      await page.getByText('These are too many').waitFor(SOON);
      expect(attempts).toBe(2);
      await field('Subject').fill('Two');
      await page.unroute(`**${path}`);
      await button('Save as a new version').click();
      await page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Two', version: 3 });
    },
    JOURNEY_MS,
  );

  it(
    'says that somebody else saved after a save without a response',
    async () => {
      await saveWithoutResponse();
      await field('Subject').fill('Two');
      await saveOther();
      await page.unroute(`**${path}`);
      await button('Save as a new version').click();
      await notice(3).waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Good day', version: 3 });
    },
    JOURNEY_MS,
  );

  it(
    'has no conflict of a page with itself, when the user types on while it saves',
    async () => {
      const { held, release } = hold();
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        const response = await route.fetch();
        await held;
        return route.fulfill({ response });
      });
      await field('Subject').fill('One');
      await button('Save as a new version').click();
      await eventually(async () => (await read()).version === 2, STEP_MS);
      await field('Subject').fill('Two');
      // The page learns of its own version before it has the response.
      await page.getByText('Version 2, saved').waitFor(SOON);
      expect(await notice(2).count()).toBe(0);
      release();
      await button('Save as a new version').click();
      await page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Two', version: 3 });
    },
    JOURNEY_MS,
  );
});

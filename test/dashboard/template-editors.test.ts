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

journeys('a template that two people edit', () => {
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

  it(
    'is not replaced by what is typed, until its newest version is loaded',
    async () => {
      await field('Subject').fill('Good evening');
      await saveOther();
      await notice(2).waitFor(SOON);
      expect(await field('Subject').inputValue()).toBe('Good evening');
      expect(await button('Save as a new version').count()).toBe(0);
      const [other] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('link', { name: 'See version 2 in another tab' }).click(),
      ]);
      expect(await other.getByLabel('Subject').inputValue()).toBe('Good day');

      await button('Load version 2').click();
      const question = page.getByRole('dialog', { description: /replaces what you have typed/ });
      await question.getByRole('button', { name: 'Load version 2' }).click();
      await notice(2).waitFor({ ...SOON, state: 'detached' });
      expect(await field('Subject').inputValue()).toBe('Good day');
      await field('Subject').fill('Good night');
      await button('Save as a new version').click();
      await page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Good night', version: 3 });
    },
    JOURNEY_MS,
  );

  it(
    'is replaced only on request if the page learns of the other version when it saves',
    async () => {
      await field('Subject').fill('Good evening');
      const { held, release } = hold();
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() === 'GET') await held;
        // The page may have given up the request.
        await route.continue().catch(() => undefined);
      });
      await saveOther();
      await button('Save as a new version').click();
      await page.getByRole('alert').getByText('The template has changed meanwhile').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Good day', version: 2 });
      release();
      await notice(2).waitFor(SOON);
      expect(await page.getByRole('alert').count()).toBe(1);

      await button('Save mine as version 3').click();
      await page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Good evening', version: 3 });
      expect(await read(`${path}/versions/2`)).toMatchObject({ subject: 'Good day' });
      expect(await notice(2).count()).toBe(0);
    },
    JOURNEY_MS,
  );

  it(
    'says no longer that a save was refused once the newest version is loaded',
    async () => {
      await field('Subject').fill('Good evening');
      await page.route(`**${path}`, (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()));
      await saveOther();
      await button('Save as a new version').click();
      await page.getByRole('alert').getByText('The template has changed meanwhile').waitFor(SOON);
      await page.unroute(`**${path}`);
      await button('Load version 2').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Load version 2' }).click();
      await eventually(async () => (await field('Subject').inputValue()) === 'Good day', STEP_MS);
      await notice(2).waitFor({ ...SOON, state: 'detached' });
      expect(await page.getByRole('alert').count()).toBe(0);
    },
    JOURNEY_MS,
  );

  it(
    'keeps a third version, too: what is saved over is the version that the page names',
    async () => {
      await field('Subject').fill('Good evening');
      await saveOther();
      await notice(2).waitFor(SOON);
      const { held, release } = hold();
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() === 'GET') await held;
        await route.continue().catch(() => undefined);
      });
      await started.organization.put(path, { ...OTHERS, subject: 'Third' });
      const refused = page.waitForResponse((response) => response.status() === 409);
      await button('Save mine as version 3').click();
      await refused;
      release();
      await notice(3).waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Third', version: 3 });
    },
    JOURNEY_MS,
  );
});

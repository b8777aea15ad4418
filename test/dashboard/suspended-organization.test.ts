import type { Page } from 'playwright-core';
import { resumeSending, suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { eventually } from '../support/eventually.js';
import { fillSignIn, goTo, JOURNEY_MS, openDashboard, signedInPage, STEP_MS } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };

/** Types a subject, also while it is hidden. */
const TYPE = `
  const { control } = [...document.querySelectorAll('label')].find((label) => label.textContent.startsWith('Subject'));
  control.value = 'Typed last';
  control.dispatchEvent(new Event('input', { bubbles: true }))`;

let started: DashboardOfUser;

journeys('a suspended organization', () => {
  beforeAll(async () => {
    started = await startDashboardOf('owner');
    await started.organization.post('/api/send', {
      ...{ from: 'ada@acme.example', to: 'ben@example.com', subject: 'Hello', htmlContent: '<p>Hello</p>' },
    });
  }, JOURNEY_MS);
  afterEach(() => started.service.database.transaction((sql) => resumeSending(sql, organizationId())));
  afterAll(() => started?.stop());

  const organizationId = () => started.organization.organizationId;
  const suspend = () => suspendOrganization(started.service.database, organizationId(), 'It sends spam');
  const notice = (page: Page) =>
    page.getByRole('alert').filter({ hasText: /suspended: It sends spam.*Until the operator/ });

  const said = (page: Page) => page.getByText('is suspended').filter({ visible: true });
  const subjectOf = async (path: string) =>
    (await started.organization.get<{ subject: string }>(`${path}/message`)).body.subject;

  it(
    'says why once instead of every failure, and its pages return by themselves',
    async () => {
      const { browser, service, email } = started;
      await suspend();
      const page = await openDashboard(browser, service);
      await fillSignIn(page, email);
      await page.getByRole('heading', { name: 'Suspended', level: 1 }).waitFor();
      await goTo(page, 'Settings');
      await page.getByRole('button', { name: 'Sign out everywhere' }).waitFor();
      expect(await notice(page).count()).toBe(1);
      expect(await said(page).count()).toBe(1);
      await page.getByRole('navigation').getByRole('link', { name: 'Emails', exact: true }).click();
      await page.getByRole('heading', { name: 'Suspended', level: 1 }).waitFor();
      expect(await said(page).count()).toBe(1);
      await service.database.transaction((sql) => resumeSending(sql, organizationId()));
      await page.getByRole('link', { name: 'Hello' }).waitFor(SOON);
      expect(await notice(page).count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'says so on a page that is open',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await page.getByText('Latest campaigns').waitFor();
      await suspend();
      await notice(page).waitFor(SOON);
      expect(await said(page).count()).toBe(1);
      expect(
        await page
          .getByText(/could not be read|up to date/)
          .filter({ visible: true })
          .count(),
      ).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'keeps a draft that could not be saved, and saves it when the suspension ends',
    async () => {
      const { page, path } = await openDraft(started);
      await suspend();
      await notice(page).waitFor(SOON);
      const subject = page.getByLabel('Subject');
      await subject.waitFor({ state: 'hidden', ...SOON });
      // As if it was typed in the last moment.
      await page.evaluate(TYPE);
      await subject.waitFor(SOON);
      expect(await subject.inputValue()).toBe('Typed last');
      await started.service.database.transaction((sql) => resumeSending(sql, organizationId()));
      await notice(page).waitFor({ state: 'detached', ...SOON });
      await eventually(async () => (await subjectOf(path)) === 'Typed last', STEP_MS / 3);
      await page.getByText('Saved', { exact: true }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

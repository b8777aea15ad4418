import { hold } from '../support/hold.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };
const TEMPLATE = { name: 'Welcome', subject: 'Welcome', htmlContent: '<p>Welcome</p>' };

let started: DashboardOfUser;

journeys('a version of a template', () => {
  beforeAll(async () => void (started = await startDashboardOf('member')), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'that is earlier replaces what is typed while it is loaded only after a question',
    async () => {
      const { service, organization, browser, email } = started;
      const { id } = (await organization.post<{ id: string }>('/api/templates', TEMPLATE)).body;
      await organization.put(`/api/templates/${id}`, { ...TEMPLATE, htmlContent: '<p>Good day</p>' });
      const page = await signedInPage(browser, service, email);
      await page.goto(`${service.address}/templates/${id}`);
      const { held, release } = hold();
      await page.route(`**/api/templates/${id}/versions/1`, async (route) => {
        await held;
        await route.continue();
      });
      const source = page.getByLabel('HTML or MJML');
      const edit = page.getByRole('button', { name: 'Edit version 1' });
      const other = page.getByRole('button', { name: 'Edit version 2' });
      await edit.click();
      await edit.getByText('Edit …').waitFor();
      await source.fill('<p>Typed meanwhile</p>');
      expect(await other.isDisabled()).toBe(true);
      release();
      const question = page.getByRole('dialog', { name: 'Edit', description: /not saved/ });
      await question.getByRole('button', { name: 'Keep as it is' }).click();
      expect(await source.inputValue()).toBe('<p>Typed meanwhile</p>');
      await edit.click();
      await question.getByRole('button', { name: 'Edit' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await source.inputValue()).toBe('<p>Welcome</p>');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'that another user saves appears in the editor, too, unless something has been typed there',
    async () => {
      const { service, organization, browser, email } = started;
      const { id } = (await organization.post<{ id: string }>('/api/templates', TEMPLATE)).body;
      const page = await signedInPage(browser, service, email);
      await page.goto(`${service.address}/templates/${id}`);
      const source = page.getByLabel('HTML or MJML');
      await source.waitFor();
      await organization.put(`/api/templates/${id}`, { ...TEMPLATE, htmlContent: '<p>Second</p>' });
      await page.getByText('Version 2, saved').waitFor(SOON);
      expect(await source.inputValue()).toBe('<p>Second</p>');
      await source.fill('<p>Typed</p>');
      await organization.put(`/api/templates/${id}`, { ...TEMPLATE, htmlContent: '<p>Third</p>' });
      await page.getByText('Version 3, saved').waitFor(SOON);
      expect(await source.inputValue()).toBe('<p>Typed</p>');
      await page.getByText('not saved yet').waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

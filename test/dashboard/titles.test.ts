import { isTitled, JOURNEY_MS, openDashboard, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('the title names', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member');
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'each page for people who are not signed in',
    async () => {
      const page = await openDashboard(started.browser, started.service);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await isTitled(page, 'Sign in');
      await page.goto(`${started.service.address}/set-password`);
      await page.getByRole('heading', { name: 'Set a password' }).waitFor();
      await isTitled(page, 'Set a password');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'the list of a contact that cannot be read',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await page.route('**/api/contacts/*', (route) => route.fulfill({ status: 500, json: { error: 'It is broken' } }));
      await page.goto(`${started.service.address}/contacts/ada%40example.com`);
      await page.getByText('It is broken').waitFor();
      await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor({ timeout: STEP_MS / 3 });
      await isTitled(page, 'Contacts');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a template whose name changes the direction of text, as does its question, which keep theirs',
    async () => {
      const template = { name: 'a\u2069\u202egpj.exe', subject: 'Welcome', htmlContent: '<p>Welcome</p>' };
      const { id } = (await started.organization.post<{ id: string }>('/api/templates', template)).body;
      const page = await signedInPage(started.browser, started.service, started.email);
      await page.goto(`${started.service.address}/templates/${id}`);
      await isTitled(page, 'agpj.exe');
      await page.getByRole('button', { name: 'Delete' }).click();
      const question = page.getByRole('dialog').getByText('The template “\u2068agpj.exe\u2069” and its versions');
      await question.waitFor({ timeout: STEP_MS / 3 });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'an address without a page',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await page.evaluate(`history.pushState(null, '', '/nowhere')`);
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
      await isTitled(page, 'There is no such page');
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

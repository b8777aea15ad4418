import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('the dialog of a new webhook', () => {
  beforeAll(async () => void (started = await startDashboardOf('owner')), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'says what the address must answer, and calls the field as its label does when it is refused',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await goTo(page, 'Webhooks');
      await page.getByRole('button', { name: 'New webhook' }).click();
      const dialog = page.getByRole('dialog', { name: 'New webhook' });
      await dialog.getByText('ENDPOINT_CHALLENGE').waitFor({ timeout: STEP_MS / 3 });
      await dialog.getByLabel('Address').fill('ftp://acme.example/hook');
      await dialog.getByRole('button', { name: 'Create webhook' }).click();
      const problem = await dialog.getByRole('alert').textContent();
      expect(problem).toMatch(/^Address must /);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

import { JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };

let started: DashboardOfUser;

journeys('a draft whose recipients lack values', () => {
  beforeAll(async () => void (started = await startDashboardOf('member')), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'says which ones before it is sent, and again when it asks',
    async () => {
      const { page, path } = await openDraft(started);
      const recipients = [{ to: 'a@example.com', variables: { name: 'Ada' } }, { to: 'b@example.com' }];
      await started.organization.post(`${path}/recipients`, { recipients });
      await page.reload();
      await page.getByLabel('Subject').fill('{{ name }} of {{ city }}, {{ plan | default: "free" }}');
      const warning = page.getByRole('region', { name: 'Empty variables' });
      await warning.getByText('No recipient has a value for city.').waitFor(SOON);
      await warning.getByText('1 of 2 recipients has no value for name.').waitFor(SOON);
      expect(await warning.getByRole('listitem').count()).toBe(2);
      expect(await warning.getByRole('paragraph').last().textContent()).toBe(
        'Write in the message what to show instead, such as {{ city | default: "there" }}',
      );
      await page.getByRole('button', { name: 'Send now' }).click();
      const both = 'It leaves city empty for all of them, and name empty for some of them.';
      await page.getByRole('dialog').getByText(both).waitFor(SOON);
      await page.getByRole('button', { name: 'Keep as it is' }).click();
      await page.getByLabel('Subject').fill('{{ city }}');
      await warning.getByText(/ name\./).waitFor({ ...SOON, state: 'detached' });
      await page.getByRole('button', { name: 'Send now' }).click();
      await page.getByRole('dialog').getByText('It leaves city empty for all of them.').waitFor(SOON);
      await page.getByRole('button', { name: 'Keep as it is' }).click();
      await page.getByLabel('Subject').fill('Good news, {{ plan | default: "free" }}');
      await warning.waitFor({ ...SOON, state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

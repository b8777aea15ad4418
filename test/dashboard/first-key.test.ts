import { newUser } from '../support/people.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('an organization without emails', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member');
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'sends only owners to make a key, because nobody else can',
    async () => {
      const { service, organization, browser, email } = started;
      const page = await signedInPage(browser, service, email);
      await page.getByText('Ask an owner for an API key').waitFor({ timeout: STEP_MS / 3 });
      await page.context().close();
      const owner = await newUser(service, organization.organizationId, 'owner');
      const theirs = await signedInPage(browser, service, owner.email);
      await theirs.getByRole('link', { name: 'API key', exact: true }).click();
      await theirs.getByRole('button', { name: 'New key' }).waitFor();
      await theirs.context().close();
    },
    JOURNEY_MS,
  );
});

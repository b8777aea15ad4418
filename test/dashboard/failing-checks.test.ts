import type { DomainView } from '../../src/domains/domain-view.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('a domain for which DNS does not respond', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member');
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'fails its checks: nobody says that its records are missing',
    async () => {
      const { service, organization, browser, email } = started;
      const added = await organization.post<DomainView>('/api/domains', { domain: 'acme.example' });
      await service.database.query(
        `update sending_domains set status = 'verified', verified_at = now(), unanswered_since = now() where id = $1`,
        [added.body.id],
      );
      await organization.post('/api/emails', { to: 'ada@example.com', subject: 'Hello', htmlContent: '<p>Hello</p>' });
      const page = await signedInPage(browser, service, email);
      await page.getByRole('link', { name: 'acme.example' }).waitFor();
      await page.getByText('its ownership cannot be confirmed').waitFor({ timeout: STEP_MS / 3 });
      await page.getByRole('link', { name: 'acme.example' }).click();
      await page.getByText(/^Its ownership has not been confirmed since/).waitFor({ timeout: STEP_MS / 3 });
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

journeys('a tracking domain whose records are not confirmed', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member', { BASE_URL: 'https://track.example' });
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'needs attention on the overview',
    async () => {
      const { service, organization, browser, email } = started;
      const added = await organization.post<{ id: string }>('/api/tracking-domains', { domain: 'click.acme.example' });
      await service.database.query(
        `update tracking_domains set status = 'verified', verified_at = now(), missing_since = now() where id = $1`,
        [added.body.id],
      );
      await organization.post('/api/emails', { to: 'ada@example.com', subject: 'Hello', htmlContent: '<p>Hello</p>' });
      const page = await signedInPage(browser, service, email);
      await page.getByText('its records are not confirmed').waitFor({ timeout: STEP_MS / 3 });
      await page.getByRole('link', { name: 'click.acme.example' }).click();
      await page.getByText(/^Its records have not been confirmed since/).waitFor({ timeout: STEP_MS / 3 });
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

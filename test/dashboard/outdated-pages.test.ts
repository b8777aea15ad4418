import type { Browser, Page } from 'playwright-core';
import { erasePerson } from '../support/erase-person.js';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import type { TestClient, TestService } from '../support/service.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

let started: StartedDashboard;
let service: TestService;
let organization: TestClient;
let browser: Browser;

journeys('a page that can no longer be read', () => {
  beforeAll(async () => {
    started = await startDashboard({ RATE_LIMIT_PER_MINUTE: '0' });
    ({ service, organization, browser } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  const send = (to: string, client = organization) =>
    client.post('/api/send', {
      ...{ from: 'ada@acme.example', to, subject: 'Hello', htmlContent: '<p>Hello</p>' },
    });

  /** The page of a contact that follows changes. */
  async function openContact(address: string): Promise<Page> {
    await send(address);
    const page = await signedInPage(
      browser,
      service,
      (await newUser(service, organization.organizationId, 'viewer')).email,
    );
    await page.goto(`${service.address}/contacts/${encodeURIComponent(address)}`);
    await page.getByRole('heading', { name: address, level: 1 }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    return page;
  }

  const notice = (page: Page) => page.getByRole('status').filter({ hasText: 'no longer up to date' });

  it(
    'says so until it is read again',
    async () => {
      const page = await openContact('reader@example.com');
      expect(await notice(page).count()).toBe(0);
      await page.route('**/api/contacts/*', (route) => route.fulfill({ status: 500, json: { error: 'It is broken' } }));
      await send('other@example.com');
      await notice(page)
        .getByText('It is broken')
        .waitFor({ timeout: STEP_MS / 3 });
      await page.getByRole('heading', { name: 'reader@example.com', level: 1 }).waitFor();
      await page.unroute('**/api/contacts/*');
      await send('other@example.com');
      await notice(page).waitFor({ state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'says so of a list of which more than the first page is shown',
    async () => {
      const other = await service.organization('pro', 'Long list');
      const addresses = Array.from({ length: 60 }, (_, place) => `gone${place}@example.com`);
      await other.post('/api/suppressions', { addresses });
      const page = await signedInPage(browser, service, (await newUser(service, other.organizationId, 'viewer')).email);
      await page.goto(`${service.address}/suppressions`);
      await page.getByText('Live', { exact: true }).waitFor();
      const rows = page.getByRole('table', { name: 'Suppressions' }).locator('tr.row');
      await rows.last().scrollIntoViewIfNeeded();
      await eventually(async () => (await rows.count()) === addresses.length, STEP_MS);
      const change = () => send('reader@example.com', other);
      await page.route('**/api/suppressions?*', (route) =>
        route.fulfill({ status: 500, json: { error: 'It is broken' } }),
      );
      await change();
      await notice(page)
        .getByText('It is broken')
        .waitFor({ timeout: STEP_MS / 3 });
      expect(await rows.count()).toBe(addresses.length);
      await page.unroute('**/api/suppressions?*');
      await change();
      await notice(page).waitFor({ state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'says that another user has deleted what it shows',
    async () => {
      const page = await openContact('forgotten@example.com');
      await erasePerson(organization, 'forgotten@example.com');
      await send('other@example.com');
      await notice(page)
        .getByText('Contact not found')
        .waitFor({ timeout: STEP_MS / 3 });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'says so while the connection is interrupted',
    async () => {
      const page = await openContact('offline@example.com');
      await page.context().setOffline(true);
      // Its live connection was open before, and can outlast the interruption.
      await send('other@example.com');
      await notice(page).waitFor({ timeout: STEP_MS / 3 });
      await page.context().setOffline(false);
      await notice(page).waitFor({ state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'changes nothing without a connection, and nothing when it is back',
    async () => {
      const { email } = await newUser(service, organization.organizationId, 'member');
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Suppressions');
      await page.getByRole('button', { name: 'Add addresses' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add addresses' });
      await dialog.getByLabel('Addresses, one per line').fill('tim@example.com');
      await page.context().setOffline(true);
      await dialog.getByRole('button', { name: 'Suppress' }).click();
      await dialog.getByRole('alert').waitFor({ timeout: STEP_MS / 3 });
      const read = page.waitForResponse((response) => response.url().includes('/api/suppressions') && response.ok());
      await page.clock.setFixedTime(Date.now() + 60_000);
      await page.context().setOffline(false);
      await read;
      expect((await organization.get('/api/suppressions')).body).toEqual({ suppressions: [] });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'makes way for the sign-in when its user is removed from the organization',
    async () => {
      const user = await newUser(service, organization.organizationId, 'member');
      const page = await signedInPage(browser, service, user.email);
      await goTo(page, 'Broadcasts');
      await service.database.query('delete from users where id = $1', [user.id]);
      await page.getByRole('button', { name: 'Sign in' }).waitFor({ timeout: STEP_MS / 3 });
      const other = await service.organization('pro', 'Other');
      const member = await newUser(service, organization.organizationId, 'member');
      await service.database.query("insert into memberships values ($1, $2, 'owner', now() + interval '1 second')", [
        member.id,
        other.organizationId,
      ]);
      const of = await signedInPage(browser, service, member.email);
      await goTo(of, 'Broadcasts');
      await service.database.query('delete from memberships where user_id = $1 and organization_id = $2', [
        member.id,
        organization.organizationId,
      ]);
      await of.locator('strong', { hasText: 'Other' }).waitFor({ timeout: STEP_MS / 3 });
      await page.context().close();
      await of.context().close();
    },
    JOURNEY_MS,
  );
});

import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import type { TestClient, TestService } from '../support/service.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

let started: StartedDashboard;
let service: TestService;
let acme: TestClient;
let browser: Browser;

journeys('tabs of users in several organizations', () => {
  beforeAll(async () => {
    started = await startDashboard();
    ({ service, organization: acme, browser } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  /** The page of a user who is a member of a second organization. */
  async function pageOfTwo(): Promise<{ page: Page; second: TestClient }> {
    const second = await service.organization('pro', 'Second');
    const user = await newUser(service, acme.organizationId, 'owner');
    await service.database.query("insert into memberships values ($1, $2, 'owner', now() + interval '1 second')", [
      user.id,
      second.organizationId,
    ]);
    return { page: await signedInPage(browser, service, user.email), second };
  }

  /** Chooses an organization, which loads the page again. */
  async function choose(page: Page, organization: string): Promise<void> {
    await Promise.all([page.waitForEvent('load'), page.getByLabel('Organization').selectOption(organization)]);
  }

  async function suppress(page: Page, address: string): Promise<void> {
    await page.getByRole('button', { name: 'Add addresses' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add addresses' });
    await dialog.getByLabel('Addresses, one per line').fill(address);
    await dialog.getByRole('button', { name: 'Suppress' }).click();
    await page.getByRole('link', { name: address }).waitFor();
  }

  async function exported(page: Page): Promise<string> {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^suppressions-.+\.csv$/);
    return readFile(await file.path(), 'utf8');
  }

  it(
    'each work in the organization that they show',
    async () => {
      const { page: first, second: other } = await pageOfTwo();
      await goTo(first, 'Suppressions');
      const second = await first.context().newPage();
      second.setDefaultTimeout(STEP_MS);
      await second.goto(service.address);
      await choose(second, 'Second');
      await goTo(second, 'Suppressions');

      await suppress(first, 'of-acme@example.com');
      await suppress(second, 'of-second@example.com');
      for (const [client, address] of [
        [acme, 'of-acme@example.com'],
        [other, 'of-second@example.com'],
      ] as const) {
        const { body } = await client.get<{ suppressions: object[] }>('/api/suppressions');
        expect(body.suppressions).toMatchObject([{ address }]);
      }
      expect(await exported(first)).toContain('of-acme@example.com');
      expect(await exported(second)).toContain('of-second@example.com');
      await first.reload();
      await first.getByRole('link', { name: 'of-acme@example.com' }).waitFor();
      await first.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'stay in their organization if another one cannot be chosen',
    async () => {
      const { page } = await pageOfTwo();
      await page.route('**/api/session', (route) =>
        route.request().method() === 'PATCH'
          ? route.fulfill({ status: 403, json: { error: 'The test refuses this' } })
          : route.continue(),
      );
      await page.getByLabel('Organization').selectOption('Second');
      await page.getByRole('alert').getByText('The test refuses this').waitFor();
      expect(await page.getByLabel('Organization').inputValue()).toBe(acme.organizationId);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'stay in their organization with work that is not saved, unless it is given up',
    async () => {
      const { page } = await pageOfTwo();
      const template = { name: 'Welcome', subject: 'Welcome', htmlContent: '<p>Welcome</p>' };
      const { body } = await acme.post<{ id: string }>('/api/templates', template);
      await page.goto(`${service.address}/templates/${body.id}`);
      await page.getByLabel('HTML or MJML').fill('<p>Good day</p>');
      await page.getByText('not saved yet').waitFor();
      const asked = page.waitForEvent('dialog');
      const chosen = page.getByLabel('Organization').selectOption('Second');
      await (await asked).dismiss();
      await chosen;
      expect(await page.getByLabel('Organization').inputValue()).toBe(acme.organizationId);
      await page.getByRole('button', { name: 'Save as a new version' }).click();
      await page.getByText('Saved as version 2').waitFor();
      await page.getByLabel('HTML or MJML').fill('<p>Good evening</p>');
      await page.getByText('not saved yet').waitFor();
      const questions: string[] = [];
      page.on('dialog', (dialog) => {
        questions.push(dialog.type());
        void dialog.accept();
      });
      await choose(page, 'Second');
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      expect(questions).toEqual(['confirm']);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'load the images of an email of their organization',
    async () => {
      const { page: first, second: other } = await pageOfTwo();
      await choose(first, 'Second');
      const htmlContent = '<p>Hi</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="A dot">';
      const fields = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'Hello', htmlContent };
      const { body } = await other.post<{ emailTrackingId: string }>('/api/send', fields);
      const second = await first.context().newPage();
      await second.goto(service.address);
      await choose(second, 'Acme');
      await first.goto(`${service.address}/emails/${body.emailTrackingId}`);
      await first.getByRole('tab', { name: 'Preview' }).click();
      await first.getByRole('button', { name: 'Load images' }).click();
      await first.frameLocator('iframe[title^="Preview with images"]').getByText('Hi', { exact: true }).waitFor();
      await first.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'say when signing out has failed',
    async () => {
      const { page } = await pageOfTwo();
      await page.route('**/api/session', (route) =>
        route.request().method() === 'DELETE'
          ? route.fulfill({ status: 403, json: { error: 'The test refuses this' } })
          : route.continue(),
      );
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('alert').getByText('The test refuses this').waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'start over in another organization when the user is removed from theirs',
    async () => {
      const { page } = await pageOfTwo();
      await choose(page, 'Second');
      await service.database.query(
        'delete from memberships where organization_id in (select id from organizations where name = $1)',
        ['Second'],
      );
      // The service remembers a membership for some seconds.
      await eventually(async () => {
        await page.reload();
        await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
        return (await page.locator('strong', { hasText: 'Acme' }).count()) === 1;
      }, STEP_MS);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

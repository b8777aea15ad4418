import type { Browser, Page } from 'playwright-core';
import { draft } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import type { TestClient, TestService } from '../support/service.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };
const REASON = /^Your role in this organization does not allow this/;
const NOTICE = /Your role is now viewer/;

let started: StartedDashboard;
let service: TestService;
let organization: TestClient;
let browser: Browser;

journeys('a role that is lowered while a page is open', () => {
  beforeAll(async () => {
    started = await startDashboard();
    ({ service, organization, browser } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  /** A page of a member who becomes a viewer once it is open. */
  async function loweredOn(open: (page: Page) => Promise<unknown>): Promise<Page> {
    const { id, email } = await newUser(service, organization.organizationId, 'member');
    const page = await signedInPage(browser, service, email);
    await open(page);
    await service.database.query(`update memberships set role = 'viewer' where user_id = $1`, [id]);
    const headers = { 'x-requested-with': 'test', 'x-organization': organization.organizationId };
    const change = () => page.request.post(`${service.address}/api/campaigns`, { headers, data: {} });
    // Sessions are cached for seconds.
    await eventually(async () => (await change()).status() === 403, STEP_MS);
    return page;
  }

  const makes = async (path: string, body: object): Promise<string> =>
    (await organization.post<{ id: string }>(path, body)).body.id;

  it(
    'removes the buttons that it does not allow, and says why',
    async () => {
      const id = await makes('/api/campaigns', { name: 'Spring' });
      const page = await loweredOn(async (page) => {
        await page.goto(`${service.address}/campaigns/${id}`);
        await page.getByRole('button', { name: 'Archive' }).waitFor();
      });
      await page.getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('main').getByText(NOTICE).waitFor(SOON);
      expect(await page.getByRole('button', { name: 'Archive' }).count()).toBe(0);
      await goTo(page, 'Campaigns');
      await page.getByRole('link', { name: 'Spring' }).waitFor(SOON);
      expect(await page.getByRole('button', { name: 'New campaign' }).count()).toBe(0);
      expect(await page.getByText(NOTICE).count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'keeps what was typed into a draft',
    async () => {
      const id = await makes('/api/broadcasts', draft);
      const page = await loweredOn(async (page) => {
        await page.goto(`${service.address}/broadcasts/${id}`);
        await page.getByLabel('Subject').waitFor();
      });
      await page.getByLabel('Subject').fill('Typed later');
      await page.getByRole('alert').getByText(REASON).waitFor(SOON);
      await page.getByRole('main').getByText(NOTICE).waitFor(SOON);
      await page.getByRole('button', { name: 'Delete', exact: true }).waitFor({ state: 'detached', ...SOON });
      expect(await page.getByLabel('Subject').inputValue()).toBe('Typed later');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'that was raised instead is not called a limit',
    async () => {
      const id = await makes('/api/broadcasts', draft);
      const { id: userId, email } = await newUser(service, organization.organizationId, 'viewer');
      const page = await signedInPage(browser, service, email);
      await page.goto(`${service.address}/broadcasts/${id}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await service.database.query(`update memberships set role = 'member' where user_id = $1`, [userId]);
      const notice = page.getByRole('main').getByText(/^Your role is now member/);
      // Sessions are cached for seconds.
      await eventually(async () => {
        await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
        return (await notice.count()) > 0;
      }, STEP_MS);
      expect(await notice.innerText()).toBe('Your role is now member: this page now offers what it allows.');
      await page.getByLabel('Subject').waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

import type { Page } from 'playwright-core';
import type { BroadcastView } from '../../src/broadcasts/broadcast-view.js';
import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import type { TestClient } from '../support/service.js';
import { JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;
let organization: TestClient;

journeys('a draft that two tabs edit', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member', { RATE_LIMIT_PER_MINUTE: '0' });
    ({ organization } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  const read = async (path: string) => (await organization.get<BroadcastView>(path)).body;
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
  const saved = (page: Page) => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  const notice = (page: Page) => page.getByRole('alert').filter({ hasText: 'Somebody else has changed this draft' });

  /** Before the first save, a page may still say that all is saved. */
  async function changeSubject(page: Page, path: string): Promise<void> {
    await field(page, 'Subject').fill('Good day');
    await eventually(async () => (await read(path)).subject === 'Good day', STEP_MS);
    await saved(page);
  }

  /** Another tab with the same page. */
  async function openAgain(page: Page): Promise<Page> {
    const other = await page.context().newPage();
    other.setDefaultTimeout(STEP_MS);
    await other.goto(page.url());
    await other.getByLabel('HTML or MJML').waitFor();
    return other;
  }

  /** The bodies of the changes that a page requests from now on. */
  function changesOf(page: Page): { readonly version?: string; readonly subject: string }[] {
    const changes: { version?: string; subject: string }[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') changes.push(request.postDataJSON() as { version?: string; subject: string });
    });
    return changes;
  }

  it(
    'keeps the changes of both: the later tab says so, and loads the newer draft when it is told to',
    async () => {
      const { page, path } = await openDraft(started);
      const other = await openAgain(page);
      await changeSubject(page, path);

      const changes = changesOf(other);
      const pasted = other.getByLabel(/^Or paste/);
      await pasted.fill('ada@example.com');
      await field(other, 'Name').fill('Autumn sale');
      await notice(other).waitFor();
      await other.getByRole('status').getByText('Not saved').waitFor();
      expect(await read(path)).toMatchObject({ subject: 'Good day', name: 'Spring sale' });

      // Nothing is saved or replaced until the newer draft is loaded.
      await field(other, 'Name').fill('Autumn and winter sale');
      await other.getByRole('button', { name: 'Send a test' }).click();
      await other.getByText(/^The draft has changed meanwhile/).waitFor();
      expect(changes).toHaveLength(1);
      expect(await field(other, 'Name').inputValue()).toBe('Autumn and winter sale');
      expect(await field(other, 'Subject').inputValue()).toBe('Welcome');

      await other.getByRole('button', { name: 'Load the newer draft' }).click();
      await notice(other).waitFor({ state: 'detached' });
      expect(await field(other, 'Subject').inputValue()).toBe('Good day');
      expect(await field(other, 'Name').inputValue()).toBe('Spring sale');
      expect(await pasted.inputValue()).toBe('ada@example.com');
      await field(other, 'Name').fill('Autumn sale');
      await eventually(async () => (await read(path)).name === 'Autumn sale', STEP_MS);
      expect(await read(path)).toMatchObject({ subject: 'Good day' });
      await saved(other);
      expect(changes).toHaveLength(2);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'sends no other version than the tab shows',
    async () => {
      const { page, path } = await openDraft(started);
      await organization.post(`${path}/recipients`, { recipients: [{ to: 'ada@example.com' }] });
      await page.reload();
      const other = await openAgain(page);
      await changeSubject(page, path);

      const sendNow = async (tab: Page): Promise<void> => {
        await tab.getByRole('button', { name: 'Send now' }).click();
        await tab.getByRole('dialog').getByRole('button', { name: 'Send now' }).click();
      };
      await sendNow(other);
      await other
        .getByRole('dialog')
        .getByText(/^The draft has changed meanwhile/)
        .waitFor();
      await other.getByRole('button', { name: 'Keep as it is' }).click();
      await notice(other).waitFor();
      expect((await read(path)).status).toBe('draft');

      await other.getByRole('button', { name: 'Load the newer draft' }).click();
      await notice(other).waitFor({ state: 'detached' });
      expect(await field(other, 'Subject').inputValue()).toBe('Good day');
      await sendNow(other);
      await eventually(async () => (await read(path)).status !== 'draft', STEP_MS);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'keeps what is typed and says why while the newer draft cannot be loaded',
    async () => {
      const { page, path } = await openDraft(started);
      const other = await openAgain(page);
      await changeSubject(page, path);
      await field(other, 'Subject').fill('Good evening');
      await notice(other).waitFor();
      await other.route(`**${path}/message`, (route) =>
        route.fulfill({ status: 403, json: { error: 'The test refuses this' } }),
      );
      await other.getByRole('button', { name: 'Load the newer draft' }).click();
      await other.getByRole('alert').getByText('The test refuses this').first().waitFor();
      expect(await field(other, 'Subject').inputValue()).toBe('Good evening');
      expect((await read(path)).subject).toBe('Good day');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'has no conflict of a tab with itself: changes in quick succession, and one whose response was lost',
    async () => {
      const { page, path } = await openDraft(started);
      const changes = changesOf(page);
      const { held, release } = hold();
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() === 'PUT') await held;
        await route.continue();
      });
      await field(page, 'Subject').fill('One');
      await eventually(() => changes.length === 1, STEP_MS);
      await field(page, 'Subject').fill('Two');
      release();
      await eventually(async () => (await read(path)).subject === 'Two', STEP_MS);
      await saved(page);
      expect(changes.map(({ subject }) => subject)).toEqual(['One', 'Two']);
      expect(new Set(changes.map(({ version }) => version)).size).toBe(2);

      await page.unroute(`**${path}`);
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        await route.fetch();
        return route.abort('connectionreset');
      });
      await field(page, 'Subject').fill('Three');
      await page.getByRole('status').getByText('Not saved').waitFor();
      expect((await read(path)).subject).toBe('Three');
      await field(page, 'Subject').fill('Four');
      await page.unroute(`**${path}`);
      await eventually(async () => (await read(path)).subject === 'Four', STEP_MS);
      await saved(page);
      expect(await notice(page).count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import { closeRouted, goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };
/** More than two pages of a list. */
const MANY = 120;

let started: DashboardOfUser;

journeys('while something is still being read,', () => {
  beforeAll(async () => void (started = await startDashboardOf('owner')), JOURNEY_MS);
  afterAll(() => started?.stop());

  const openPage = () => signedInPage(started.browser, started.service, started.email);

  it(
    'a list gets what is added meanwhile',
    async () => {
      const page = await openPage();
      const { held, release } = hold();
      let reads = 0;
      await page.route(/\/api\/keys\?/, async (route) => {
        const response = await route.fetch();
        if (++reads === 1) await held;
        // The page may have given up the request.
        await route.fulfill({ response }).catch(() => undefined);
      });
      await goTo(page, 'API keys');
      await eventually(() => reads === 1);
      await page.getByRole('button', { name: 'New key' }).click();
      const dialog = page.getByRole('dialog', { name: 'New key' });
      await dialog.getByLabel('Name').fill('Till');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByRole('button', { name: 'Done' }).click();
      release();
      await page.getByRole('row', { name: /Till/ }).waitFor(SOON);
      await closeRouted(page);
    },
    JOURNEY_MS,
  );

  it(
    'a test of a draft waits for the recipient whose values it has',
    async () => {
      const { page, path } = await openDraft(started);
      const recipients = [{ to: 'ada@example.com', variables: { name: 'Ada' } }];
      await started.organization.post(`${path}/recipients`, { recipients });
      const { held, release } = hold();
      await page.route(`**${path}/recipients?limit=20`, async (route) => {
        await held;
        await route.continue();
      });
      await page.reload();
      await page.getByLabel('Subject').fill('Welcome, {{ name }}');
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByRole('button', { name: 'Send a test …' }).waitFor(SOON);
      release();
      await page.getByText('The test is on its way').waitFor(SOON);
      const test = await eventually(() =>
        started.service.mailServer.messages.find((message) => message.recipients.includes(started.email)),
      );
      expect(test.content.toString()).toMatch(/^Subject: \[Test\] Welcome, Ada\r$/m);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a list goes on to its end after a further page that failed is asked for again',
    async () => {
      const message = (subject: string) => ({
        ...{ from: 'ada@acme.example', to: 'reader@example.com', subject },
        htmlContent: '<p>Hi</p>',
      });
      await started.organization.post('/api/send', message('Oldest'));
      const emails = Array.from({ length: MANY }, (_, number) => message(`Number ${number + 1}`));
      expect((await started.organization.post('/api/send/batch', { emails })).status).toBeLessThan(300);
      const page = await openPage();
      const further = /\/api\/emails\?.*cursor=/;
      await page.route(further, (route) => route.fulfill({ status: 403, json: { error: 'The test refuses this' } }));
      await goTo(page, 'Emails');
      await page.getByText('Live', { exact: true }).waitFor();
      const pressEndUntil = (isThere: () => Promise<number>) =>
        eventually(async () => {
          await page.keyboard.press('End');
          return (await isThere()) > 0;
        }, STEP_MS);
      await pressEndUntil(() => page.getByText('The test refuses this').count());
      await page.unroute(further);
      // The response to the next read of the first page never arrives.
      const first = /\/api\/emails\?(?!.*cursor=)/;
      await page.route(first, () => undefined);
      const read = page.waitForRequest(first);
      await started.organization.post('/api/send', message('Meanwhile'));
      await read;
      await page.getByRole('alert').waitFor({ ...SOON, state: 'detached' });
      await page.getByRole('button', { name: 'Load more' }).click();
      await pressEndUntil(() => page.getByRole('link', { name: 'Oldest', exact: true }).count());
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

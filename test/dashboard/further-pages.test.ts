import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import { goTo, JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { livePage, report } from './live-page.js';
import { FIRST_PAGE, FURTHER_PAGE, newLongList, rowsOfLongList, scrollToEnd, showSecond } from './long-list.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

/** Shorter than the time after which a page that gets live changes polls. */
const SOON = { timeout: STEP_MS / 3 };
/** Until the page has shown what it knows. */
const NEXT_FRAME = 'new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)))';

let started: StartedDashboard;

journeys('the beginning of a list with further pages is read again', () => {
  beforeAll(async () => void (started = await startDashboard({ RATE_LIMIT_PER_MINUTE: '0' })), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'and if that fails, the page says so, whatever becomes of a further page',
    async () => {
      const { email } = await newLongList(started.service);
      const page = await livePage(started.browser, started.service, email);
      await goTo(page, 'Suppressions');
      await showSecond(page);
      const notice = page.getByRole('status').filter({ hasText: 'no longer up to date' });
      await page.route(FIRST_PAGE, (route) => route.fulfill({ status: 400, json: { error: 'It is broken' } }));
      await report(page, 'email.bounced');
      await notice.getByText('It is broken').waitFor(SOON);
      const { held, release } = hold();
      await page.route(FURTHER_PAGE, async (route) => {
        await held;
        await route.continue();
      });
      await scrollToEnd(page);
      await page.getByRole('button', { name: 'Loading …' }).waitFor(SOON);
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await notice.count()).toBe(1);
      release();
      await page.getByText('gone0@example.com', { exact: true }).waitFor(SOON);
      expect(await notice.count()).toBe(1);
      await page.unroute(FIRST_PAGE);
      await report(page, 'email.bounced');
      await notice.waitFor({ ...SOON, state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'and meanwhile the page does not take the failure of a further page for one of its beginning',
    async () => {
      const { email } = await newLongList(started.service);
      const page = await livePage(started.browser, started.service, email);
      await page.route(FURTHER_PAGE, (route) => route.fulfill({ status: 400, json: { error: 'It is broken' } }));
      await goTo(page, 'Suppressions');
      await rowsOfLongList(page).first().waitFor();
      await scrollToEnd(page);
      const failure = page.getByRole('alert').getByText('It is broken');
      await failure.waitFor(SOON);
      const { held, release } = hold();
      let reads = 0;
      await page.route(FIRST_PAGE, async (route) => {
        reads += 1;
        await held;
        await route.continue();
      });
      await report(page, 'email.bounced');
      await eventually(() => reads === 1);
      await page.evaluate(NEXT_FRAME);
      expect(await page.getByText('no longer up to date').count()).toBe(0);
      release();
      await failure.waitFor({ ...SOON, state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'and shows what is new, although a further page that ends later began before',
    async () => {
      const { organization, email } = await newLongList(started.service);
      const page = await livePage(started.browser, started.service, email);
      await goTo(page, 'Suppressions');
      await showSecond(page);
      const [beginning, further] = [hold(), hold()];
      let reads = 0;
      await page.route(FIRST_PAGE, async (route) => {
        reads += 1;
        await beginning.held;
        await route.continue();
      });
      await page.route(FURTHER_PAGE, async (route) => {
        await further.held;
        await route.continue();
      });
      await organization.post('/api/suppressions', { address: 'newest@example.com' });
      await report(page, 'email.bounced');
      await eventually(() => reads === 1);
      await scrollToEnd(page);
      await page.getByRole('button', { name: 'Loading …' }).waitFor(SOON);
      const response = page.waitForResponse(FIRST_PAGE);
      beginning.release();
      await (await response).finished();
      await page.evaluate(NEXT_FRAME);
      further.release();
      await page.getByText('gone0@example.com', { exact: true }).waitFor(SOON);
      // Rows that are far from the shown ones are not in the page.
      await page.evaluate('scrollTo({ top: 0 })');
      await page.getByText('newest@example.com', { exact: true }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

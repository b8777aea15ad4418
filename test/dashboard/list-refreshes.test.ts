import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import { closeRouted, goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { livePage, report } from './live-page.js';
import { FIRST_PAGE, newLongList, showSecond } from './long-list.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

/** Shorter than the time after which a page that gets live changes polls. */
const SOON = { timeout: STEP_MS / 3 };
/** More than the pause before live changes are read. */
const GATHERED_MS = 2_000;

let started: StartedDashboard;

journeys('the beginning of a list is read again', () => {
  beforeAll(async () => void (started = await startDashboard({ RATE_LIMIT_PER_MINUTE: '0' })), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'only once at a time',
    async () => {
      const { email } = await newLongList(started.service);
      const page = await signedInPage(started.browser, started.service, email);
      await page.route('**/api/live', (route) => route.abort());
      await page.clock.install();
      await page.goto(`${started.service.address}/suppressions`);
      await showSecond(page);
      let reads = 0;
      // It never gets a response.
      await page.route(FIRST_PAGE, () => void (reads += 1));
      await eventually(() => reads === 1, STEP_MS);
      await page.clock.runFor(10_000);
      const later = page.waitForRequest('**/later');
      await page.evaluate(`void fetch('/later')`);
      await later;
      expect(reads).toBe(1);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'if something changed while it was first read',
    async () => {
      const { organization, email } = await newLongList(started.service);
      const page = await livePage(started.browser, started.service, email);
      await page.clock.install();
      const { held, release } = hold();
      let reads = 0;
      await page.route(FIRST_PAGE, async (route) => {
        const response = await route.fetch();
        if (++reads === 1) await held;
        await route.fulfill({ response });
      });
      await goTo(page, 'Suppressions');
      await eventually(() => reads === 1);
      await organization.post('/api/suppressions', { address: 'newest@example.com' });
      await report(page, 'email.bounced');
      await page.clock.runFor(GATHERED_MS);
      release();
      await page.getByText('newest@example.com', { exact: true }).waitFor(SOON);
      await closeRouted(page);
    },
    JOURNEY_MS,
  );

  it(
    'but not once the page has left it',
    async () => {
      const { email } = await newLongList(started.service);
      const page = await livePage(started.browser, started.service, email);
      await page.clock.install();
      let reads = 0;
      await page.route(FIRST_PAGE, (route) => (++reads > 1 ? route.continue() : undefined));
      await goTo(page, 'Suppressions');
      await eventually(() => reads === 1);
      await report(page, 'email.bounced');
      await page.clock.runFor(GATHERED_MS);
      await goTo(page, 'Overview');
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor(SOON);
      await report(page, 'email.bounced');
      const later = page.waitForRequest('**/api/emails?*');
      await page.clock.runFor(2 * GATHERED_MS);
      await later;
      expect(reads).toBe(1);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'and so is an email that changed while it was first read',
    async () => {
      const { organization, email } = await newLongList(started.service);
      const message = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'Hi', htmlContent: '<p>Hi</p>' };
      await organization.post('/api/send', message);
      const { body } = await organization.get<{ emails: { id: string }[] }>('/api/emails');
      const { id } = body.emails[0]!;
      const page = await livePage(started.browser, started.service, email);
      await page.clock.install();
      const { held, release } = hold();
      let reads = 0;
      await page.route(`**/api/emails/${id}`, async (route) => {
        const isFirst = ++reads === 1;
        const json = (await (await route.fetch()).json()) as object;
        if (isFirst) await held;
        // The page may have given up the request.
        await route.fulfill({ json: { ...json, subject: isFirst ? 'Older' : 'Newer' } }).catch(() => undefined);
      });
      await page.goto(`${started.service.address}/emails/${id}`);
      await eventually(() => reads === 1);
      await report(page, 'ready');
      await page.clock.runFor(GATHERED_MS);
      release();
      await page.getByRole('heading', { name: 'Newer', level: 1 }).waitFor(SOON);
      await closeRouted(page);
    },
    JOURNEY_MS,
  );
});

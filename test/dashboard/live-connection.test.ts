import type { Page } from 'playwright-core';
import { fillSignIn, goTo, JOURNEY_MS, openDashboard, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

/** Shorter than the time after which a page that gets live changes polls. */
const SOON = { timeout: STEP_MS / 3 };

/** Live changes come from the test instead of the service. */
const HOLD_LIVE = `
  const { fetch } = globalThis;
  let stream;
  globalThis.report = (...types) => {
    for (const type of types)
      stream.enqueue(new TextEncoder().encode('data: ' + JSON.stringify({ type, at: new Date().toISOString() }) + '\\n\\n'));
  };
  globalThis.fetch = (url, options) => {
    if (!String(url).endsWith('/api/live')) return fetch(url, options);
    const body = new ReadableStream({ start: (controller) => void (stream = controller) });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };`;

let started: DashboardOfUser;

journeys('the connection for live changes', () => {
  beforeAll(async () => void (started = await startDashboardOf('viewer')), JOURNEY_MS);
  afterAll(() => started?.stop());

  const report = (page: Page, ...types: string[]) =>
    page.evaluate(`report(${types.map((type) => JSON.stringify(type)).join()})`);

  async function livePage(): Promise<Page> {
    const page = await openDashboard(started.browser, started.service);
    await page.addInitScript(HOLD_LIVE);
    await page.reload();
    await fillSignIn(page, started.email);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await report(page, 'ready');
    await page.getByText('Live', { exact: true }).waitFor(SOON);
    return page;
  }

  it(
    'is shown as interrupted, and pages poll, until it is back',
    async () => {
      const page = await livePage();
      await report(page, 'paused');
      await page.getByText('Updates every 3 seconds').waitFor(SOON);
      await report(page, 'ready');
      await page.getByText('Live', { exact: true }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'lets pages show what they missed as soon as it is back',
    async () => {
      const page = await livePage();
      await goTo(page, 'Emails');
      await page.getByRole('heading', { name: 'Send the first email' }).waitFor(SOON);
      await started.organization.post('/api/send', {
        ...{ from: 'ada@acme.example', to: 'reader@example.com', subject: 'Missed', htmlContent: '<p>Hi</p>' },
      });
      await report(page, 'paused', 'ready');
      await page.getByRole('link', { name: 'Missed' }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

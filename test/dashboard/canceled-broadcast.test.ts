import { BroadcastClient, people } from '../support/broadcast-client.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

/** Runs in the page. */
function widthsOf(parts: readonly unknown[]): number[] {
  return parts.map((part) => (part as { readonly clientWidth: number }).clientWidth);
}

let started: DashboardOfUser;

journeys('a canceled broadcast', () => {
  beforeAll(async () => void (started = await startDashboardOf('viewer')), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'shows how much of it was sent',
    async () => {
      const { service, organization, browser, email } = started;
      const broadcasts = new BroadcastClient(organization);
      const id = await broadcasts.create({ sendAt: new Date(Date.now() + 3_600_000).toISOString() });
      await broadcasts.add(id, people(50));
      await broadcasts.move(id, 'send');
      await broadcasts.move(id, 'cancel');
      const page = await signedInPage(browser, service, email);
      for (const path of ['/broadcasts', `/broadcasts/${id}`]) {
        await page.goto(service.address + path);
        const bar = page.getByRole('progressbar');
        await bar.waitFor();
        await page.getByText('0 of 50 sent').waitFor({ timeout: STEP_MS / 3 });
        expect(await bar.getAttribute('aria-valuenow')).toBe('0');
        const widths = await bar.locator('span').evaluateAll(widthsOf);
        expect(Math.max(0, ...widths)).toBe(0);
      }
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

import { goTo, JOURNEY_MS, signedInPage } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('where the system sets the colors', () => {
  beforeAll(async () => {
    started = await startDashboardOf('viewer');
    const fields = { from: 'ada@acme.example', to: 'grace@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    await started.organization.post('/api/send', { ...fields, campaignId: 'Welcome' });
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'lines and their keys have different ones, and the chosen range and page an outline',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await page.emulateMedia({ forcedColors: 'active' });
      await goTo(page, 'Overview');
      await page.locator('.swatch').first().waitFor();
      const styles = (selector: string, property: string) =>
        page.evaluate(
          `[...document.querySelectorAll("${selector}")].map((element) => getComputedStyle(element).${property})`,
        ) as Promise<string[]>;
      expect(new Set(await styles('.legend .swatch', 'backgroundColor')).size).toBe(6);
      const [track, value] = await styles('.bar, .bar > span', 'backgroundColor');
      expect(track).not.toBe(value);
      expect(await styles('.segments [aria-pressed=true], [aria-current=page]', 'outlineStyle')).toEqual([
        'solid',
        'solid',
      ]);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

import { JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const LINES = 6_000;

let started: DashboardOfUser;

journeys('a message of many lines', () => {
  beforeAll(async () => void (started = await startDashboardOf('member')), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'has no element for each line, which the browser would lay out again after each key',
    async () => {
      const { page } = await openDraft(started);
      const editor = page.getByLabel('HTML or MJML');
      // Typed, so many lines would take minutes.
      await editor.evaluate((field, lines) => {
        Object.assign(field, { value: `${'<p>Hello</p>\n'.repeat(lines - 1)}{{ name` });
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }, LINES);
      await page.getByRole('button', { name: `Go to line ${LINES}, column 1` }).waitFor({ timeout: STEP_MS / 3 });
      const numbers = page.locator('.editor .numbers').first();
      const shown = await numbers.evaluate((element) => ({
        elements: element.querySelectorAll('*').length,
        wrong: element.querySelector('.wrong')?.textContent.trim(),
        lines: element.textContent.trim().split('\n').length,
        height: element.scrollHeight,
      }));
      expect(shown).toMatchObject({ wrong: String(LINES), lines: LINES });
      expect(shown.elements).toBeLessThan(10);
      // Each number stays beside its line.
      const height = await editor.evaluate(({ scrollHeight }) => scrollHeight);
      expect(Math.abs(shown.height - height)).toBeLessThan(2);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

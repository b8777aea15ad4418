import { JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { hasFocus, tabTo } from './keyboard.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 9 };

let started: DashboardOfUser;

journeys('with the keyboard alone', () => {
  beforeAll(async () => void (started = await startDashboardOf('member')), JOURNEY_MS);
  afterAll(() => started?.stop());

  it.each([
    ['sent', 'Send now', 'sent'],
    ['scheduled', 'Schedule', 'scheduled'],
  ])(
    'a draft is %s after its question, and the focus stays with what it is about',
    async (_, label, status) => {
      const { page, path } = await openDraft(started);
      await started.organization.post(`${path}/recipients`, { recipients: [{ to: 'ada@example.com' }] });
      if (label === 'Schedule') {
        await page.getByRole('radio', { name: 'Now' }).focus();
        await page.keyboard.press('ArrowRight');
      }
      const send = page.getByRole('button', { name: label });
      const question = page.getByRole('dialog', { name: label });
      await tabTo(page, send);
      await page.keyboard.press('Enter');
      expect(await hasFocus(question)).toBe(true);
      await page.keyboard.press('Escape');
      await question.waitFor({ ...SOON, state: 'detached' });
      expect(await hasFocus(send)).toBe(true);

      await page.keyboard.press('Enter');
      await hasFocus(question);
      await page.keyboard.press('Tab');
      expect(await hasFocus(question.getByRole('button', { name: label }))).toBe(true);
      await page.keyboard.press('Tab');
      expect(await hasFocus(question.getByRole('button', { name: 'Keep as it is' }))).toBe(true);
      await page.keyboard.press('Enter');
      await question.waitFor({ ...SOON, state: 'detached' });
      expect(await hasFocus(send)).toBe(true);

      await page.route(`**${path}/send`, (route) => route.fulfill({ status: 400, json: { error: 'Refused once' } }), {
        times: 1,
      });
      await page.keyboard.press('Enter');
      await hasFocus(question);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await question.getByRole('alert').getByText('Refused once').waitFor(SOON);
      expect(await hasFocus(question.getByRole('button', { name: label }))).toBe(true);
      await page.keyboard.press('Enter');
      await question.waitFor({ ...SOON, state: 'detached' });
      await page.locator('header').getByText(status, { exact: true }).waitFor(SOON);
      // The button is gone with the draft.
      expect(await hasFocus(page.locator('main'))).toBe(true);
      await page.keyboard.press('Tab');
      expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true);
      await page
        .getByRole('status')
        .getByText(`${label}: done`)
        .waitFor({ ...SOON, state: 'attached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

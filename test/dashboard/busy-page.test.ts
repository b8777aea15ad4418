import type { Page } from 'playwright-core';
import { goTo, JOURNEY_MS, signedInPage } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

/** A change and a click on a link that the page handles before it draws a frame. */
const CHANGE_AND_LEAVE = `(async () => {
  const subject = [...document.querySelectorAll('label')].find(({ textContent }) => textContent.startsWith('Subject'));
  const field = subject.querySelector('input');
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'Good day');
  field.dispatchEvent(new Event('input', { bubbles: true }));
  for (let turns = 0; turns < 100; turns++) await undefined;
  if (!document.body.textContent.includes('not saved yet')) throw new Error('The page does not show the change');
  document.querySelector('nav a[href="/emails"]').click();
})()`;

let started: DashboardOfUser;

journeys('a busy page', () => {
  beforeAll(async () => void (started = await startDashboardOf('member')), JOURNEY_MS);
  afterAll(() => started?.stop());

  const openTemplate = async (): Promise<Page> => {
    const { service, organization, browser, email } = started;
    const template = { name: 'Welcome', subject: 'Welcome', htmlContent: '<p>Welcome</p>' };
    await organization.post('/api/templates', template);
    const page = await signedInPage(browser, service, email);
    await goTo(page, 'Templates');
    await page.getByRole('link', { name: 'Welcome' }).click();
    await page.getByLabel('Subject').waitFor();
    return page;
  };

  it(
    'asks before it is left with a change that is not saved, although no frame has been drawn since',
    async () => {
      const page = await openTemplate();
      const questions: string[] = [];
      page.on('dialog', (dialog) => {
        questions.push(dialog.message());
        void dialog.dismiss();
      });
      await page.evaluate(CHANGE_AND_LEAVE);
      expect(questions).toEqual(['Your latest changes are not saved. Leave this page without them?']);
      expect(await page.getByLabel('Subject').inputValue()).toBe('Good day');
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

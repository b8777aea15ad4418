import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import { JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { journeys } from './start-dashboard.js';
import { TemplateEditor } from './template-editor.js';

const SOON = { timeout: STEP_MS / 3 };

journeys('a template that a page saves', () => {
  const editor = new TemplateEditor();
  const { field, button, notice, saveOther, read } = editor;

  /** Saves, without learning that it has saved, nor of the new version. */
  async function saveWithoutResponse(): Promise<void> {
    await editor.page.route(`**${editor.path}`, async (route) => {
      if (route.request().method() === 'GET') return route.abort();
      await route.fetch();
      return route.fulfill({ status: 500, json: { error: 'It is broken' } });
    });
    await field('Subject').fill('One');
    await button('Save as a new version').click();
    await editor.page.getByText('It is broken').waitFor(SOON);
  }

  it(
    'has no conflict of a page with itself, when it does not learn that it has saved',
    async () => {
      await editor.page.route(`**${editor.path}`, async (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        await route.fetch();
        return route.fulfill({ status: 500, json: { error: 'It is broken' } });
      });
      await field('Subject').fill('One');
      await button('Save as a new version').click();
      await editor.page.getByText('It is broken').waitFor(SOON);
      await editor.page.getByText('Version 2, saved').waitFor(SOON);
      await editor.page.unroute(`**${editor.path}`);
      await field('Subject').fill('Two');
      await button('Save as a new version').click();
      await editor.page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Two', version: 3 });
    },
    JOURNEY_MS,
  );

  it(
    'has no conflict of a page with itself, when more is typed before it learns that it has saved',
    async () => {
      const { held, release } = hold();
      await editor.page.route(`**${editor.path}`, async (route) => {
        if (route.request().method() === 'GET') {
          await held;
          return route.continue().catch(() => undefined);
        }
        await route.fetch();
        return route.fulfill({ status: 500, json: { error: 'It is broken' } });
      });
      await field('Subject').fill('One');
      await button('Save as a new version').click();
      await editor.page.getByText('It is broken').waitFor(SOON);
      await field('Subject').fill('Two');
      release();
      await editor.page.getByText('Version 2, saved').waitFor(SOON);
      expect(await notice(2).count()).toBe(0);
      await editor.page.unroute(`**${editor.path}`);
      await button('Save as a new version').click();
      await editor.page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Two', version: 3 });
    },
    JOURNEY_MS,
  );

  it(
    'has no conflict of a page with itself, when it saves more before it learns that it has saved',
    async () => {
      await saveWithoutResponse();
      await field('Subject').fill('Two');
      await editor.page.unroute(`**${editor.path}`);
      await button('Save as a new version').click();
      await editor.page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Two', version: 3 });
    },
    JOURNEY_MS,
  );

  it(
    'has no conflict of a page with itself, when the repetition of a save without a response is refused',
    async () => {
      let attempts = 0;
      await editor.page.route(`**${editor.path}`, async (route) => {
        if (route.request().method() === 'GET') return route.abort();
        attempts += 1;
        if (attempts > 1) {
          // For longer than the client library waits.
          const headers = { 'retry-after': '120' };
          return route.fulfill({ status: 429, headers, json: { error: 'These are too many' } });
        }
        await route.fetch();
        return route.fulfill({ status: 502, body: 'Bad Gateway' });
      });
      await field('Subject').fill('One');
      await button('Save as a new version').click();
      await editor.page.getByText('These are too many').waitFor(SOON);
      expect(attempts).toBe(2);
      await field('Subject').fill('Two');
      await editor.page.unroute(`**${editor.path}`);
      await button('Save as a new version').click();
      await editor.page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Two', version: 3 });
    },
    JOURNEY_MS,
  );

  it(
    'says that somebody else saved after a save without a response',
    async () => {
      await saveWithoutResponse();
      await field('Subject').fill('Two');
      await saveOther();
      await editor.page.unroute(`**${editor.path}`);
      await button('Save as a new version').click();
      await notice(3).waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Good day', version: 3 });
    },
    JOURNEY_MS,
  );

  it(
    'has no conflict of a page with itself, when the user types on while it saves',
    async () => {
      const { held, release } = hold();
      await editor.page.route(`**${editor.path}`, async (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        const response = await route.fetch();
        await held;
        return route.fulfill({ response });
      });
      await field('Subject').fill('One');
      await button('Save as a new version').click();
      await eventually(async () => (await read()).version === 2, STEP_MS);
      await field('Subject').fill('Two');
      // The page learns of its own version before it has the response.
      await editor.page.getByText('Version 2, saved').waitFor(SOON);
      expect(await notice(2).count()).toBe(0);
      release();
      await button('Save as a new version').click();
      await editor.page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Two', version: 3 });
    },
    JOURNEY_MS,
  );
});

import { eventually } from '../support/eventually.js';
import { hold } from '../support/hold.js';
import { JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { journeys } from './start-dashboard.js';
import { OTHERS, TemplateEditor } from './template-editor.js';

const SOON = { timeout: STEP_MS / 3 };

journeys('a template that two people edit', () => {
  const editor = new TemplateEditor();
  const { field, button, notice, saveOther, read } = editor;

  it(
    'is not replaced by what is typed, until its newest version is loaded',
    async () => {
      await field('Subject').fill('Good evening');
      await saveOther();
      await notice(2).waitFor(SOON);
      expect(await field('Subject').inputValue()).toBe('Good evening');
      expect(await button('Save as a new version').count()).toBe(0);
      const [other] = await Promise.all([
        editor.page.waitForEvent('popup'),
        editor.page.getByRole('link', { name: 'See version 2 in another tab' }).click(),
      ]);
      expect(await other.getByLabel('Subject').inputValue()).toBe('Good day');

      await button('Load version 2').click();
      const question = editor.page.getByRole('dialog', { description: /replaces what you have typed/ });
      await question.getByRole('button', { name: 'Load version 2' }).click();
      await notice(2).waitFor({ ...SOON, state: 'detached' });
      expect(await field('Subject').inputValue()).toBe('Good day');
      await field('Subject').fill('Good night');
      await button('Save as a new version').click();
      await editor.page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Good night', version: 3 });
    },
    JOURNEY_MS,
  );

  it(
    'is replaced only on request if the page learns of the other version when it saves',
    async () => {
      await field('Subject').fill('Good evening');
      const { held, release } = hold();
      await editor.page.route(`**${editor.path}`, async (route) => {
        if (route.request().method() === 'GET') await held;
        // The page may have given up the request.
        await route.continue().catch(() => undefined);
      });
      await saveOther();
      await button('Save as a new version').click();
      await editor.page.getByRole('alert').getByText('The template has changed meanwhile').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Good day', version: 2 });
      release();
      await notice(2).waitFor(SOON);
      expect(await editor.page.getByRole('alert').count()).toBe(1);

      await button('Save mine as version 3').click();
      await editor.page.getByText('Saved as version 3').waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Good evening', version: 3 });
      expect(await read(`${editor.path}/versions/2`)).toMatchObject({ subject: 'Good day' });
      expect(await notice(2).count()).toBe(0);
    },
    JOURNEY_MS,
  );

  it(
    'says no longer that a save was refused once the newest version is loaded',
    async () => {
      await field('Subject').fill('Good evening');
      await editor.page.route(`**${editor.path}`, (route) =>
        route.request().method() === 'GET' ? route.abort() : route.continue(),
      );
      await saveOther();
      await button('Save as a new version').click();
      await editor.page.getByRole('alert').getByText('The template has changed meanwhile').waitFor(SOON);
      await editor.page.unroute(`**${editor.path}`);
      await button('Load version 2').click();
      await editor.page.getByRole('dialog').getByRole('button', { name: 'Load version 2' }).click();
      await eventually(async () => (await field('Subject').inputValue()) === 'Good day', STEP_MS);
      await notice(2).waitFor({ ...SOON, state: 'detached' });
      expect(await editor.page.getByRole('alert').count()).toBe(0);
    },
    JOURNEY_MS,
  );

  it(
    'keeps a third version, too: what is saved over is the version that the page names',
    async () => {
      await field('Subject').fill('Good evening');
      await saveOther();
      await notice(2).waitFor(SOON);
      const { held, release } = hold();
      await editor.page.route(`**${editor.path}`, async (route) => {
        if (route.request().method() === 'GET') await held;
        await route.continue().catch(() => undefined);
      });
      await editor.started.organization.put(editor.path, { ...OTHERS, subject: 'Third' });
      const refused = editor.page.waitForResponse((response) => response.status() === 409);
      await button('Save mine as version 3').click();
      await refused;
      release();
      await notice(3).waitFor(SOON);
      expect(await read()).toMatchObject({ subject: 'Third', version: 3 });
    },
    JOURNEY_MS,
  );
});

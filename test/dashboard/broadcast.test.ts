import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import type { TestClient, TestService } from '../support/service.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const READERS = 200;
/** A file as saved by a German spreadsheet program, with two invalid lines. */
const CSV = [
  'E-Mail;First name;Shoe size',
  ...Array.from({ length: READERS }, (_, n) => `reader${n}@example.com;Reader ${n};4${n % 10}`),
  'nobody;Nobody;40',
  '@example.com;Half;41',
].join('\r\n');

let started: DashboardOfUser;
let service: TestService;
let organization: TestClient;
let browser: Browser;
let email: string;

journeys('a broadcast', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member');
    ({ service, organization, browser, email } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  async function createDraft(page: Page): Promise<string> {
    await goTo(page, 'Broadcasts');
    await page.getByRole('button', { name: 'New broadcast' }).click();
    const dialog = page.getByRole('dialog', { name: 'New broadcast' });
    await dialog.getByLabel('Name', { exact: true }).fill('Spring sale');
    await dialog.getByLabel('From').fill('Ada <ada@acme.example>');
    await dialog.getByLabel('Subject').fill('Draft');
    await dialog.getByRole('button', { name: 'Create draft' }).click();
    await page.getByRole('heading', { name: 'Spring sale', level: 1 }).waitFor();
    return new URL(page.url()).pathname.split('/').pop()!;
  }

  it(
    'goes from a CSV file to 200 inboxes, with a pause on the way',
    async () => {
      const page = await signedInPage(browser, service, email);
      const id = await createDraft(page);
      const read = async () =>
        (await organization.get<{ status: string; subject: string }>(`/api/broadcasts/${id}`)).body;

      // The message is saved without a button.
      await page.getByLabel('Subject').fill('News for {{ name }}');
      await eventually(async () => (await read()).subject === 'News for {{ name }}', STEP_MS);
      await page.reload();
      await page.getByRole('heading', { name: 'Spring sale', level: 1 }).waitFor();
      expect(await page.getByLabel('Subject').inputValue()).toBe('News for {{ name }}');

      await page
        .getByLabel('CSV file')
        .setInputFiles({ name: 'r.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) });
      await page.getByLabel('E-Mail becomes').waitFor();
      expect(await page.getByLabel('E-Mail becomes').inputValue()).toBe('to');
      await page.getByLabel('Variable of First name').fill('name');
      await page.getByLabel('Shoe size becomes').selectOption('Leave out');
      await page.getByRole('button', { name: 'Add recipients' }).click();
      await page.getByText('200 recipients added, 0 repeated, 0 suppressed, 2 bad lines.').waitFor();
      const bad = page.getByRole('region', { name: 'Bad lines' });
      expect(await bad.getByRole('row').allInnerTexts()).toEqual([
        expect.stringContaining('What is wrong'),
        expect.stringMatching(/^202\s/),
        expect.stringMatching(/^203\s/),
      ]);

      await page.getByRole('button', { name: 'Preview as reader100@example.com' }).click();
      await page.getByText('News for Reader 100', { exact: true }).waitFor();
      await page.frameLocator('iframe').getByText('Hello Reader 100,').waitFor();

      // One email a second, so that many remain when it is paused.
      await page.getByLabel('Emails a minute').fill('60');
      await page.getByRole('button', { name: 'Send now' }).click();
      const question = page.getByRole('dialog');
      await question.getByText('200 people will get this message').waitFor();
      await question.getByRole('button', { name: 'Send now' }).click();
      await page.getByText(/^[1-9]\d* of 200/).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      expect(await read()).toMatchObject({ status: 'paused', pace: 60 });

      await service.database.query('update broadcasts set pace = null where id = $1', [id]);
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('200 of 200').waitFor();
      await page.getByText('sent', { exact: true }).waitFor();
      expect(await read()).toMatchObject({ status: 'sent', progress: { total: 200, sent: 200, failed: 0 } });
      const subjects = service.mailServer.messages.map(
        ({ content }) => /^Subject: (.*)\r$/m.exec(content.toString())?.[1],
      );
      expect(new Set(subjects)).toEqual(new Set(Array.from({ length: READERS }, (_, n) => `News for Reader ${n}`)));
      expect(subjects).toHaveLength(READERS);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'reports where its message is invalid, and keeps the stored version',
    async () => {
      const page = await signedInPage(browser, service, email);
      await createDraft(page);
      await page.getByLabel('HTML or MJML').fill('<p>\n  {% if %}\n</p>');
      await page.getByRole('button', { name: /^Go to line 2, column \d+$/ }).waitFor();
      await page.getByRole('status').getByText('Not saved').waitFor();
      await page.getByLabel('HTML or MJML').fill('<p>Fine</p>');
      await page.frameLocator('iframe').getByText('Fine').waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'with many recipients keeps the button that sends close, and loads further recipients within their list',
    async () => {
      const page = await signedInPage(browser, service, email);
      const id = await createDraft(page);
      const recipients = Array.from({ length: 300 }, (_, n) => ({
        to: `many${String(n).padStart(3, '0')}@example.com`,
      }));
      await organization.post(`/api/broadcasts/${id}/recipients`, { recipients });
      await page.reload();
      await page.getByText('many000@example.com').last().waitFor();
      const top = async (name: string) => (await page.getByRole('heading', { name }).boundingBox())!.y;
      expect((await top('4. Send')) - (await top('3. Recipients: 300'))).toBeLessThan(900);
      await eventually(async () => {
        await page
          .getByRole('button', { name: /^(Load more|Loading …)$/ })
          .scrollIntoViewIfNeeded({ timeout: 1_000 })
          .catch(() => undefined);
        return page.getByRole('cell', { name: 'many299@example.com', exact: true }).isVisible();
      }, STEP_MS);
      expect((await top('4. Send')) - (await top('3. Recipients: 300'))).toBeLessThan(900);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'in MJML is edited as it was written when it is opened again',
    async () => {
      const mjml =
        '<mjml><mj-body><mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section></mj-body></mjml>';
      const page = await signedInPage(browser, service, email);
      const id = await createDraft(page);
      await page.getByLabel('HTML or MJML').fill(mjml);
      await eventually(async () => {
        const { body } = await organization.get<{ mjml: string | null }>(`/api/broadcasts/${id}/message`);
        return body.mjml === mjml;
      }, STEP_MS);
      await page.frameLocator('iframe').getByText('Hi', { exact: true }).waitFor();
      await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Spring sale', level: 1 }).waitFor();
      expect(await page.getByLabel('HTML or MJML').inputValue()).toBe(mjml);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'can be tested when it shows nothing but an image',
    async () => {
      const page = await signedInPage(browser, service, email);
      const id = await createDraft(page);
      const image = '<img src="https://acme.example/sale.png"><a href="{{ unsubscribe_url }}"><img src="u.png"></a>';
      await page.getByLabel('HTML or MJML').fill(image);
      await eventually(async () => {
        const { body } = await organization.get<{ htmlContent: string }>(`/api/broadcasts/${id}/message`);
        return body.htmlContent === image;
      }, STEP_MS);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText(`The test is on its way to ${email}.`).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

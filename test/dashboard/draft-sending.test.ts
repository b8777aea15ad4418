import { eventually } from '../support/eventually.js';
import { JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };

let started: DashboardOfUser;

journeys('a draft', () => {
  beforeAll(async () => void (started = await startDashboardOf('member')), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'that is sent with pasted recipients that were not added says that it leaves them out',
    async () => {
      const { page, path } = await openDraft(started);
      await started.organization.post(`${path}/recipients`, { recipients: [{ to: 'ada@example.com' }] });
      await page.reload();
      const pasted = page.getByLabel(/^Or paste/);
      const question = page.getByRole('dialog');
      await pasted.fill('grace@example.com');
      await page.getByRole('button', { name: 'Send now' }).click();
      await question.getByText('The recipients that you have not added yet are left out.').waitFor(SOON);
      await question.getByRole('button', { name: 'Keep as it is' }).click();
      await page.getByRole('button', { name: 'Add recipients' }).click();
      await page.getByRole('heading', { name: '3. Recipients: 2' }).waitFor(SOON);
      await page.getByRole('button', { name: 'Send now' }).click();
      await question.getByText('2 people will get this message').waitFor(SOON);
      await question.getByText('left out').waitFor({ ...SOON, state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'gets recipients of a file and those that were pasted before it was chosen',
    async () => {
      const { page } = await openDraft(started);
      const pasted = page.getByLabel(/^Or paste/);
      const add = page.getByRole('button', { name: 'Add recipients' });
      await pasted.fill('grace@example.com');
      const content = Buffer.from('email\nada@example.com\nalan@example.com\n');
      await page.getByLabel('CSV file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: content });
      await page.getByText('39 B', { exact: true }).waitFor(SOON);
      await add.click();
      await page.getByRole('heading', { name: '3. Recipients: 2' }).waitFor(SOON);
      expect(await pasted.inputValue()).toBe('grace@example.com');
      await add.click();
      await page.getByRole('heading', { name: '3. Recipients: 3' }).waitFor(SOON);
      // The page can read the new number before the response to its upload.
      await eventually(async () => (await pasted.inputValue()) === '');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'no longer offers pasted recipients once they are added, however long it takes to refresh',
    async () => {
      const { page, path } = await openDraft(started);
      const pasted = page.getByLabel(/^Or paste/);
      await pasted.fill('grace@example.com');
      await page.route(`**${path}`, () => undefined);
      await page.getByRole('button', { name: 'Add recipients' }).click();
      await page.getByText('1 recipient added').waitFor(SOON);
      await eventually(async () => (await pasted.inputValue()) === '');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'does not get pasted recipients in place of those of a file that is still being read',
    async () => {
      const { page } = await openDraft(started);
      const add = page.getByRole('button', { name: 'Add recipients' });
      await page.getByLabel(/^Or paste/).fill('grace@example.com');
      await add.waitFor(SOON);
      await page.evaluate(`const read = Blob.prototype.text;
        const held = new Promise((resolve) => (window.goOn = resolve));
        Blob.prototype.text = async function () { await held; return read.call(this); }`);
      const content = Buffer.from('email\nada@example.com\nalan@example.com\n');
      await page.getByLabel('CSV file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: content });
      await add.waitFor({ ...SOON, state: 'detached' });
      await page.evaluate('window.goOn()');
      await page.getByText('39 B', { exact: true }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'gets each of the addresses that were pasted on one line',
    async () => {
      const { page, path } = await openDraft(started);
      await page
        .getByLabel(/^Or paste/)
        .fill('ada@example.com, "Hopper, Grace" <grace@example.com>; alan@example.com, al an@x.example');
      await page.getByText('4 addresses', { exact: true }).waitFor(SOON);
      await page
        .getByText(/^Each address is a recipient: ada@example\.com, "Hopper, Grace" <grace@example\.com>, alan@/)
        .waitFor(SOON);
      await page.getByRole('button', { name: 'Add recipients' }).click();
      await page.getByRole('heading', { name: '3. Recipients: 3' }).waitFor(SOON);
      const { body } = await started.organization.get<{ recipients: { to: string }[] }>(`${path}/recipients`);
      expect(body.recipients.map(({ to }) => to)).toEqual([
        'ada@example.com',
        'alan@example.com',
        '"Hopper, Grace" <grace@example.com>',
      ]);
      await page.getByText('3 recipients added, 0 repeated, 0 suppressed, 1 bad address.').waitFor(SOON);
      const bad = page.getByRole('region', { name: 'Bad addresses' });
      await bad.getByRole('cell', { name: 'al an@x.example' }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'whose recipients are all suppressed says that nobody will get it, and cannot be sent',
    async () => {
      const { page, path } = await openDraft(started);
      const recipients = ['tim@example.com', 'tom@example.com'].map((to) => ({ to }));
      await started.organization.post('/api/suppressions', { address: 'tim@example.com' });
      await started.organization.post(`${path}/recipients`, { recipients: recipients.slice(0, 1) });
      await page.reload();
      const nobody = page.getByText('Nobody will get it: all its recipients are suppressed, or were');
      await nobody.waitFor(SOON);
      expect(await page.getByRole('button', { name: 'Send now' }).count()).toBe(0);
      await started.organization.post(`${path}/recipients`, { recipients });
      await page.getByText('1 person will get it. 1 suppressed.').waitFor(SOON);
      await page.getByLabel('Emails a minute').fill('1');
      await page
        .getByText('That takes 1 min. Those that were suppressed when they were added stay left out')
        .waitFor(SOON);
      await page.getByRole('button', { name: 'Send now' }).waitFor(SOON);
      // Suppressed since it was added, while the page is open.
      await started.organization.post('/api/suppressions', { address: 'tom@example.com' });
      await nobody.waitFor({ timeout: STEP_MS });
      await page.getByText('2 suppressed.').waitFor(SOON);
      expect(await page.getByRole('button', { name: 'Send now' }).count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'says that emails get another sender, until its domain is verified',
    async () => {
      const { page } = await openDraft(started);
      const sender = page.getByLabel('From', { exact: true });
      const notice = page.getByText('is not a verified domain of this organization');
      await page.getByText('acme.example is not a verified domain of this organization').waitFor(SOON);
      await page.getByText('and replies go to your address.').waitFor(SOON);
      await page.getByLabel('Reply to').fill('help@acme.example');
      await page.getByText('and replies go to the address in “Reply to”.').waitFor(SOON);
      await sender.fill('Ada <ada@news.acmé.example>');
      await page.getByText('news.acmé.example is not a verified domain of this organization').waitFor(SOON);
      const { body } = await started.organization.post<{ id: string }>('/api/domains', { domain: 'acmé.example' });
      await started.service.database.query(
        `update sending_domains set status = 'verified', verified_at = now() where id = $1`,
        [body.id],
      );
      await page.reload();
      await sender.fill('Ada <ada@acme.example>');
      await page.getByText('acme.example is not a verified domain of this organization').waitFor(SOON);
      await sender.fill('Ada <ada@news.acmé.example>');
      await notice.waitFor({ ...SOON, state: 'detached' });
      await started.service.database.query(
        `update sending_domains set sender_refused_at = now(), sender_refusal = 'not yours' where id = $1`,
        [body.id],
      );
      await page.reload();
      await sender.fill('Ada <ada@news.acmé.example>');
      await page.getByText(/^acmé\.example: .+ refused an email because of its sender: not yours\.$/).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'is tested with the address that gets the replies',
    async () => {
      const { page } = await openDraft(started);
      await page.getByLabel('Reply to').fill('Help <help@acme.example>');
      await page.getByLabel('Send this to yourself').fill('tester@example.com');
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The test is on its way').waitFor(SOON);
      const test = await eventually(() =>
        started.service.mailServer.messages.find(({ recipients }) => recipients.includes('tester@example.com')),
      );
      expect(test.content.toString()).toMatch(/^Reply-To: Help <help@acme\.example>\r$/m);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

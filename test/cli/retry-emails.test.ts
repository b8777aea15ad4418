import type { Database } from '../../src/platform/database/database.js';
import { insertBacklog } from '../support/backlog.js';
import { runCommand } from '../support/command-line.js';
import { hasTerminals, runAtTerminal } from '../support/terminal.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let opened: OpenTestDatabase;
let database: Database;
let acme: string;
let beta: string;

beforeAll(async () => {
  opened = await openTestDatabase(1);
  ({ database } = opened);
});
afterAll(() => opened?.close());

/** Three emails of Acme failed on 4, 5 and 6 May, one of them without its content, and one of Beta on 5 May. */
beforeEach(async () => {
  await database.query('truncate organizations cascade');
  [acme, beta] = [await organization('Acme'), await organization('Beta')];
  await failed(acme, '2026-05-04T08:00:00Z');
  await failed(acme, '2026-05-05T08:00:00Z');
  const gone = await failed(acme, '2026-05-05T09:00:00Z');
  await database.query(`update email_contents set html = '' where email_id = $1`, [gone]);
  await failed(acme, '2026-05-06T08:00:00Z');
  await failed(beta, '2026-05-05T08:00:00Z');
});

async function organization(name: string): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    `insert into organizations (id, name, plan) values (gen_random_uuid(), $1, 'pro') returning id`,
    [name],
  );
  return row!.id;
}

async function failed(organizationId: string, at: string): Promise<string> {
  await insertBacklog(database, organizationId, 1);
  const [row] = await database.query<{ id: string }>(
    `with gone as (delete from pending_emails returning email_id)
     update emails set status = 'failed', failed_at = $1 from gone where id = email_id returning id`,
    [at],
  );
  return row!.id;
}

const environment = (): Record<string, string> => ({ DATABASE_URL: opened.url });
const retry = (...words: string[]) => runCommand(environment(), 'email', 'retry', ...words);
const queued = async (): Promise<number> => (await database.query('select from pending_emails')).length;

it('shows how many emails of which organizations it would send, and does nothing without --yes', async () => {
  const { code, output } = await retry('--since', '2026-05-04', '--until', '2026-05-06');
  expect(code).toBe(1);
  expect(output.split('\n')).toEqual([
    'This sends 3 emails again, which failed from 2026-05-04T00:00:00.000Z until 2026-05-06T00:00:00.000Z:',
    `  2 of "Acme" (${acme})`,
    `  1 of "Beta" (${beta})`,
    '1 more stay failed: their campaign is archived, their broadcast canceled, or their recipient or content deleted.',
    'Nothing was sent. Add --yes if that is right',
    '',
  ]);
  expect([await queued(), await database.query('select from audit_entries')]).toEqual([0, []]);
});

it('sends what failed from --since until --until, exclusively', async () => {
  const { output } = await retry('--since', '2026-05-04T08:00:00Z', '--until', '2026-05-05T08:00:00Z', '--yes');
  expect(JSON.parse(output)).toEqual({ retried: 1, notRetried: 0 });
  const [entry] = await database.query<{ details: unknown }>('select details from audit_entries');
  expect(entry!.details).toEqual({ since: '2026-05-04T08:00:00.000Z', until: '2026-05-05T08:00:00.000Z' });
});

it('sends what failed until now without --until, of one organization', async () => {
  const { output } = await retry('--since', '2026-05-04', '--org', acme, '--yes');
  expect(JSON.parse(output)).toEqual({ retried: 3, notRetried: 1 });
});

it('does not ask when there is nothing to send', async () => {
  expect(JSON.parse((await retry('--since', '2026-06-01')).output)).toEqual({ retried: 0, notRetried: 0 });
});

it('refuses a time that ends before it begins', async () => {
  const refused = 'until must be later than --since\n';
  expect(await retry('--since', '2026-05-04', '--until', '2026-05-04')).toEqual({ code: 1, output: refused });
});

(hasTerminals ? describe : describe.skip)('at a terminal', () => {
  const retryAtTerminal = (keys: string) =>
    runAtTerminal(environment(), ['email', 'retry', '--since', '2026-05-04'], {
      prompt: 'Type the number of emails to send them: ',
      keys,
    });

  it('sends nothing after another answer', async () => {
    const { code, output } = await retryAtTerminal('yes\r');
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('nothing was sent') });
    expect(await queued()).toBe(0);
  });

  it('sends the emails after their number', async () => {
    const { code, output } = await retryAtTerminal('4\r');
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('"retried": 4') });
    expect(await queued()).toBe(4);
  });
});

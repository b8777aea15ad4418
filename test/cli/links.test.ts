import type { Database } from '../../src/platform/database/database.js';
import { insertBacklog, insertOrganization } from '../support/backlog.js';
import { runCommand } from '../support/command-line.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let opened: OpenTestDatabase;
let database: Database;

beforeAll(async () => {
  opened = await openTestDatabase(1);
  ({ database } = opened);
});
afterAll(() => opened?.close());

const links = async (...words: string[]): Promise<{ code: number | null; output: string }> =>
  runCommand({ DATABASE_URL: opened.url }, 'links', ...words);
const result = async (...words: string[]): Promise<unknown> => JSON.parse((await links(...words)).output);

it('`cli links block --host HOST | --email ID | --org ID`, `unblock`, `list`', async () => {
  const organizationId = await insertOrganization(database);
  await insertBacklog(database, organizationId, 1);
  const [email] = await database.query<{ id: string; tracking_id: string }>('select id, tracking_id from emails');
  const { id, tracking_id: trackingId } = email!;
  const blocks = [
    { option: ['--host', 'EVIL.Example.'], kind: 'host', value: 'evil.example' },
    { option: ['--email', id], kind: 'email', value: trackingId },
    { option: ['--org', organizationId], kind: 'organization', value: organizationId },
  ];
  for (const { option, kind, value } of blocks) {
    expect(await result('block', ...option)).toEqual({ kind, value, blocked: true, changed: true });
  }
  expect(await result('block', '--host', 'evil.example')).toMatchObject({ blocked: true, changed: false });
  const listed = (await result('list')) as { kind: string; value: string; since: string }[];
  expect(listed.map(({ kind, value }) => ({ kind, value })).reverse()).toEqual(
    blocks.map(({ kind, value }) => ({ kind, value })),
  );
  for (const { option } of blocks) {
    expect(await result('unblock', ...option)).toMatchObject({ blocked: false, changed: true });
  }
  expect(await result('list')).toEqual([]);
  const entries = await database.query<{ action: string; target_kind: string; organization_id: string | null }>(
    'select action, target_kind, organization_id from audit_entries order by at, id',
  );
  expect(entries).toEqual(
    ['links.blocked', 'links.unblocked'].flatMap((action) =>
      blocks.map(({ kind }) => ({
        action,
        target_kind: kind,
        organization_id: kind === 'host' ? null : organizationId,
      })),
    ),
  );
});

it.each(['com', 'co.uk', 'COM.'])('does not block all links to %s, but unblocks them', async (host) => {
  expect((await links('block', '--host', host)).code).toBe(1);
  expect(await result('list')).toEqual([]);
  const value = host.toLowerCase().replace(/\.$/, '');
  await database.query(`insert into blocked_links (kind, value) values ('host', $1)`, [value]);
  expect(await result('unblock', '--host', host)).toMatchObject({ blocked: false, changed: true });
});

it('refuses arguments that name no links', async () => {
  expect(await links('block')).toEqual({ code: 1, output: 'Name one of --host, --email and --org\n' });
  expect((await links('block', '--host', 'https://evil.example/x')).output).toContain('must be a host');
  expect((await links('block', '--email', 'x')).output).toContain('must be the ID or tracking ID of an email');
  expect((await links('block', '--org', 'x')).output).toContain('Organization not found');
});

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import { migrate } from '../../src/platform/database/migrate.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { findPostgresTools, startPostgresWithTools, type PostgresWithTools } from '../support/postgres-with-tools.js';
import { createTestRedis } from '../support/services.js';
import { AWAIT_RESULT, TestService } from '../support/service.js';
import { SmtpStub } from '../support/smtp-stub.js';

const run = promisify(execFile);
const tools = findPostgresTools();
const page = join(import.meta.dirname, '..', '..', 'docs', 'operations.md');

/** The command as the page shows it. */
async function documented(program: string): Promise<string> {
  const command = new RegExp(`^ *(${program} [^"].+)$`, 'm').exec(await readFile(page, 'utf8'))?.[1];
  if (!command) throw new Error(`docs/operations.md shows no ${program}`);
  return command;
}

/** States of all emails once those in progress are failed, as the page shows for a restore without duplicates. */
async function statusesAfterFailing(database: string): Promise<string[]> {
  const statement = /-c "(with gone as [^"]+)"/.exec(await readFile(page, 'utf8'))![1]!;
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    await client.query(statement);
    const { rows } = await client.query<{ status: string }>('select status from emails order by status');
    return rows.map(({ status }) => status);
  } finally {
    await client.end();
  }
}

// pg_dump must have the server's version or a newer one: without the tools of the server the test is skipped.
const describeWithTools = tools ? describe : describe.skip;

describeWithTools('a backup taken and restored as described in docs/operations.md', () => {
  let postgres: PostgresWithTools;
  let folder: string;
  beforeAll(async () => {
    postgres = await startPostgresWithTools(tools!);
    folder = await mkdtemp(join(tmpdir(), 'mailbeacon-backup-'));
  });
  afterAll(async () => {
    await postgres?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const shell = (command: string, DATABASE_URL: string) =>
    run('/bin/sh', ['-c', command], {
      cwd: folder,
      env: { PATH: [tools, process.env['PATH']].join(delimiter), DATABASE_URL },
    });

  it('continues from the time of the backup: keys, links, numbers and mail in progress', async () => {
    const mailServer = await SmtpStub.listen();
    const ENCRYPTION_KEYS = `k1:${randomBytes(32).toString('base64')}`;
    const on = async (DATABASE_URL: string): Promise<TestService> => {
      const settings = { DATABASE_URL, REDIS_URL: (await createTestRedis()).url } as TestService['settings'];
      return TestService.start({ beside: { settings, mailServer }, environment: { ENCRYPTION_KEYS, ...AWAIT_RESULT } });
    };
    const source = await postgres.createDatabase('source');
    await migrate(source);
    const before = await on(source);
    const client = await before.organization();
    const email = {
      from: 'ada@acme.example',
      subject: 'S',
      htmlContent: '<a href="https://example.com/">x</a>',
      campaignId: 'C',
    };
    const { body: sent } = await client.post<SendResponse>('/api/send', { ...email, to: 'reader@example.com' });
    await before.track(sent.links[0]!.trackingUrl);
    mailServer.scripts.add('later@example.com', { phase: 'rcpt', reply: '451 later' });
    const { status, body: late } = await client.post<SendResponse>(
      '/api/send',
      { ...email, to: 'later@example.com' },
      { prefer: 'respond-async' },
    );
    expect(status).toBe(202);
    const path = `/api/campaigns?name=C`;
    const campaign = async (service: TestService): Promise<CampaignDetail> => {
      const reader = service.client(client.organizationId, client.apiKey);
      const { body } = await reader.get<{ campaigns: { id: string }[] }>(path);
      return (await reader.get<CampaignDetail>(`/api/campaigns/${body.campaigns[0]!.id}`)).body;
    };
    await eventually(async () => (await campaign(before)).stats.totalClicks === 1);

    await shell(await documented('pg_dump'), source);
    await client.post('/api/send', { ...email, to: 'after-the-backup@example.com' });
    await before.stop();

    const restored = await postgres.createDatabase('restored');
    await shell(await documented('pg_restore'), restored);
    const careful = await postgres.createDatabase('careful');
    await shell(await documented('pg_restore'), careful);
    const after = await on(restored);
    try {
      expect(await statusesAfterFailing(careful)).toEqual(['failed', 'sent']);
      expect((await campaign(after)).stats).toMatchObject({ totalEmails: 2, totalClicks: 1 });
      const response = await after.track(sent.links[0]!.trackingUrl);
      expect(response.headers.get('location')).toBe('https://example.com/');
      await eventually(async () => (await campaign(after)).stats.totalClicks === 2);
      const reader = after.client(client.organizationId, client.apiKey);
      await eventually(async () => {
        const { body } = await reader.get<{ attempts: number }>(`/api/emails/${late.emailTrackingId}`);
        return body.attempts >= 2;
      }, 20_000);
    } finally {
      await after.stop();
      await mailServer.close();
    }
  });
});

if (!tools) it.skip('backup and restore: no folder holds initdb, postgres, pg_dump and pg_restore', () => undefined);

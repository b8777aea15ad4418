import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../src/embedded/free-port.js';
import { becomesReady, Program } from '../support/program.js';
import { createTestDatabase, createTestRedis, type TestDatabase } from '../support/services.js';

const NAME = `tracking "of" ${process.pid}`;
const PASSWORD = `it's \\ a "password" with @ and /`;

let database: TestDatabase;
let spool: string;
let asTracking: string;
let tracking: Program | undefined;
let bounces: Program | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
  spool = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  const url = new URL(database.url);
  url.username = encodeURIComponent(NAME);
  url.password = encodeURIComponent(PASSWORD);
  asTracking = url.href;
  for (const password of ['an earlier one', PASSWORD]) {
    const program = Program.start(
      'cli/main.js',
      { DATABASE_URL: database.url },
      ...['database', 'login', '--role', 'tracking', '--name', NAME],
    );
    program.write(`${password}\n`);
    expect(await program.ended()).toBe(0);
    expect(JSON.parse(program.output)).toEqual({ name: NAME });
  }
});
afterAll(async () => {
  await tracking?.end();
  await bounces?.end();
  await asOwner(`drop owned by "${NAME.replaceAll('"', '""')}"`, `drop role "${NAME.replaceAll('"', '""')}"`);
  await database.drop();
  await rm(spool, { recursive: true, force: true });
});

async function asOwner(...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

describe('the login of the tracking role', () => {
  it('is sufficient for the tracking edge', async () => {
    const port = String(await freePort());
    tracking = Program.start('roles/main.js', {
      ROLES: 'tracking',
      PORT: port,
      HOST: '127.0.0.1',
      DATABASE_URL: asTracking,
      REDIS_URL: (await createTestRedis()).url,
      SPOOL_DIRECTORY: spool,
      DRAIN_DELAY_MS: '0',
    });
    await becomesReady(`http://127.0.0.1:${port}`, tracking);
    const pixel = await fetch(`http://127.0.0.1:${port}/api/t/o/unknown`);
    expect([pixel.status, pixel.headers.get('content-type')]).toEqual([200, 'image/gif']);
  });

  it('is sufficient for the bounce listener', async () => {
    const [port, smtpPort] = [await freePort(), await freePort()];
    bounces = Program.start('roles/main.js', {
      ...{ ROLES: 'bounces', PORT: String(port), HOST: '127.0.0.1', DRAIN_DELAY_MS: '0' },
      ...{ BOUNCE_DOMAIN: 'bounces.example.com', BOUNCE_SMTP_PORT: String(smtpPort) },
      ...{ DATABASE_URL: asTracking, REDIS_URL: (await createTestRedis()).url, SPOOL_DIRECTORY: spool },
    });
    await becomesReady(`http://127.0.0.1:${port}`, bounces);
    const socket = connect(smtpPort, '127.0.0.1');
    const [greeting] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(greeting.toString()).toMatch(/^220 bounces\.example\.com /);
  });

  it('reads no other table and changes nothing', async () => {
    const client = new Client({ connectionString: asTracking });
    await client.connect();
    try {
      const { rows } = await client.query<{ table: string; reads: boolean; writes: boolean }>(
        `select relname as table, has_table_privilege(oid, 'select') as reads,
                has_table_privilege(oid, 'insert, update, delete, truncate') as writes
         from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
      );
      expect(
        rows
          .filter(({ reads }) => reads)
          .map(({ table }) => table)
          .sort(),
      ).toEqual(['blocked_links', 'migrations', 'signing_keys']);
      expect(rows.filter(({ writes }) => writes)).toEqual([]);
      const { rows: columns } = await client.query<{ column: string }>(
        `select c.relname || '.' || a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
          where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
            and has_column_privilege(c.oid, a.attnum, 'select') and not has_table_privilege(c.oid, 'select') order by 1`,
      );
      expect(columns.map(({ column }) => column)).toEqual([
        ...['emails.organization_id', 'emails.tracking_id'],
        ...['tracking_base_urls.domain', 'tracking_base_urls.organization_id', 'tracking_base_urls.used_from'],
      ]);
      expect(rows.length).toBeGreaterThan(10);
      await expect(client.query('select * from contacts')).rejects.toThrow('permission denied');
    } finally {
      await client.end();
    }
  });
});

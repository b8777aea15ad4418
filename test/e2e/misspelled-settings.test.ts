import { freePort } from '../../src/embedded/free-port.js';
import { becomesReady, Program } from '../support/program.js';
import { createTestDatabase, createTestRedis, type TestDatabase } from '../support/services.js';

let database: TestDatabase;
let program: Program | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await program?.end();
  await database.drop();
});

it('a process with a misspelled setting starts, and logs a line that names it without its value', async () => {
  const port = String(await freePort());
  program = Program.start('roles/main.js', {
    ROLES: 'flusher',
    PORT: port,
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    REDIS_URL: (await createTestRedis()).url,
    DATABASE_POOL_SIZES: 'hunter2',
    REDIS_PORT: 'tcp://10.0.0.11:6379',
    NODE_ENV: 'production',
  });
  await becomesReady(`http://127.0.0.1:${port}`, program);
  const warnings = program.output.split('\n').filter((line) => line.includes('did you mean'));
  expect(warnings.map((line) => (JSON.parse(line) as { level: string; msg: string }).msg)).toEqual([
    'DATABASE_POOL_SIZES is not a setting and is ignored: did you mean DATABASE_POOL_SIZE?',
  ]);
  expect(program.output).not.toContain('hunter2');
});

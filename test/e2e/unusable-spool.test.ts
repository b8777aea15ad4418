import { freePort } from '../../src/embedded/free-port.js';
import { eventually } from '../support/eventually.js';
import { becomesReady, Program } from '../support/program.js';
import { createTestDatabase, createTestRedis } from '../support/services.js';

it('a process with a spool folder that nobody can create warns of it, serves and stops', async () => {
  const [database, port] = [await createTestDatabase(), await freePort()];
  const program = Program.start('roles/main.js', {
    ROLES: 'tracking',
    DATABASE_URL: database.url,
    REDIS_URL: (await createTestRedis()).url,
    HOST: '127.0.0.1',
    PORT: String(port),
    OPERATOR_PORT: '0',
    DRAIN_DELAY_MS: '0',
    SPOOL_DIRECTORY: '/proc/mailbeacon-spool',
  });
  try {
    await becomesReady(`http://127.0.0.1:${port}`, program);
    await eventually(() =>
      /"reason":"Error: E[^"]+".*The spool cannot be written: set SPOOL_DIRECTORY/.test(program.output),
    );
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(0);
    expect(program.output).not.toContain('Shutdown timed out');
  } finally {
    await program.end();
    await database.drop();
  }
});

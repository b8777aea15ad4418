import { eventually } from '../support/eventually.js';
import { freeTestPort, isReady, Program } from '../support/program.js';
import { createTestDatabase, createTestRedis } from '../support/services.js';

it('a process on named services writes JSON lines alone, from its start to its end', async () => {
  const database = await createTestDatabase();
  const port = String(await freeTestPort());
  const program = Program.start('roles/main.js', {
    ROLES: 'flusher',
    DATABASE_URL: database.url,
    REDIS_URL: (await createTestRedis()).url,
    // Rarely what somebody wants, so there is a warning, too.
    AMBIGUOUS_RESEND_AFTER_MS: '0',
    HOST: '127.0.0.1',
    PORT: port,
  });
  try {
    await isReady(`http://127.0.0.1:${port}`);
    await eventually(() => program.output.includes('"Ready"'));
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(0);
    const lines = program.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const line of lines)
      expect(line).toMatchObject({ level: expect.any(Number), time: expect.any(String), roles: 'flusher' });
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 40, msg: expect.stringContaining('AMBIGUOUS_RESEND_AFTER_MS') }),
    );
    const ready = lines.find(({ msg }) => msg === 'Ready');
    expect(ready).toMatchObject({ port: Number(port), operatorPort: expect.any(Number), ms: expect.any(Number) });
    expect(lines.at(-1)).toMatchObject({ msg: 'Stopped' });
  } finally {
    await program.end();
    await database.drop();
  }
}, 60_000);

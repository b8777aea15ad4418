import { Writable } from 'node:stream';
import { createLogger, type LogTarget } from '../../../src/platform/logging/logger.js';

function logged(
  write: (logger: ReturnType<typeof createLogger>) => void,
  target: Omit<LogTarget, 'destination'> = {},
): string {
  let text = '';
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  write(createLogger('info', ['api', 'worker'], { ...target, destination }));
  return text;
}

/** An error of Postgres' driver, with the properties that it adds. */
function postgresError(): Error {
  return Object.assign(new Error('invalid input syntax for type uuid: "canary"'), {
    severity: 'ERROR',
    code: '22P02',
    detail: 'Failing row contains (canary).',
    table: 'contacts',
    constraint: 'contacts_pkey',
    where: 'canary',
    routine: 'string_to_uuid',
    query: 'select canary',
    parameters: ['canary'],
  });
}

describe('the log', () => {
  it('is one JSON object per line, with the time, the level and the roles', () => {
    const lines = logged((logger) => {
      logger.info({ emailId: '1' }, 'Email sent');
      logger.debug('not at this level');
      logger.warn('Late');
    })
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        level: 30,
        time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        roles: 'api,worker',
        emailId: '1',
        msg: 'Email sent',
      },
      { level: 40, time: expect.any(String) as string, roles: 'api,worker', msg: 'Late' },
    ]);
  });

  it('is readable in a terminal', () => {
    const text = logged((logger) => logger.info({ emailId: '1' }, 'Email sent'), { readable: true });
    expect(text).toMatch(/^\[\d\d:\d\d:\d\d\].*Email sent/);
    expect(text).not.toContain('{"level"');
  });

  it('logs the useful fields of an error, and nothing that a driver attached to it', () => {
    const text = logged((logger) => logger.error({ err: postgresError() }, 'Unexpected error'));
    expect(text).not.toContain('canary');
    const { err } = JSON.parse(text) as { err: Record<string, string> };
    expect(err).toMatchObject({ type: 'Error', code: '22P02', table: 'contacts', constraint: 'contacts_pkey' });
    expect(err['message']).toBe('invalid input syntax for type uuid: "…"');
    expect(err['stack']).toContain('logger.test.ts');
    expect(Object.keys(err).sort()).toEqual(['code', 'constraint', 'message', 'stack', 'table', 'type']);
  });

  it('logs the causes of an error, up to a depth', () => {
    const circular = new Error('outer', { cause: postgresError() });
    (circular.cause as Error).cause = circular;
    const text = logged((logger) => logger.error({ err: circular }, 'x'));
    expect(text).not.toContain('canary');
    expect(JSON.parse(text)).toMatchObject({ err: { message: 'outer', cause: { code: '22P02' } } });
  });

  it('does not trust what is thrown without being an error', () => {
    expect(logged((logger) => logger.error({ err: 'canary' }, 'x'))).not.toContain('canary');
  });
});

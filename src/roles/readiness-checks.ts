import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Spool } from '../events/stream/spool.js';
import { Degraded, Readiness } from '../platform/health/readiness.js';
import type { Infrastructure } from './infrastructure.module.js';

/**
 * A process is ready if it has the dependencies that its responses need. The API and the SMTP submission need only
 * Postgres: without Redis they accept mail, and recovery delivers later. The bounce listener needs Redis or the spool
 * for its events; without both, the tracking edge still serves its pages. Redis without eviction is required only of
 * processes that receive no traffic.
 */
export function registerReadinessChecks(
  app: NestFastifyApplication,
  { settings, database, redisPolicy, writeProbe }: Infrastructure,
): void {
  const readiness = app.get(Readiness);
  const { ROLES } = settings;
  const takesTraffic = ROLES.some(
    (role) => role === 'api' || role === 'tracking' || role === 'bounces' || role === 'smtp',
  );
  const checkRedis = (): Promise<void> => writeProbe.check().then(() => redisPolicy.check());
  for (const role of ROLES) {
    if (role === 'tracking' || role === 'bounces') {
      const spool = app.get(Spool, { strict: false });
      const checkEither = (): Promise<unknown> => {
        // Begins at once: after a Redis that does not respond, a disk that does not would exceed the time of the check.
        const spooling = canSpool(role, spool);
        spooling.catch(() => undefined); // counts only without Redis
        return writeProbe.check().catch(() => spooling);
      };
      if (role === 'tracking') readiness.observe(role, 'redis or spool', checkEither);
      else readiness.require(role, 'redis or spool', checkEither);
    } else {
      if (takesTraffic) readiness.observe(role, 'redis', checkRedis);
      else readiness.require(role, 'redis', checkRedis);
      readiness.require(role, 'postgres', () => database.query('select 1'));
    }
  }
}

/**
 * A spool that refuses events only degrades the tracking edge. It loses events, but links keep working, which needs an
 * edge in service. Mail servers repeat the bounces that a listener refuses, so one that cannot write leaves them to
 * others; a full spool is full for all of them.
 */
async function canSpool(role: 'tracking' | 'bounces', spool: Spool): Promise<Degraded | undefined> {
  try {
    await spool.space.requireWritable();
  } catch (error) {
    if (role === 'bounces') throw error;
    return new Degraded(
      `the spool refuses events: ${(error as NodeJS.ErrnoException).code ?? 'its disk does not respond'}`,
    );
  }
  return spool.refusal === undefined ? undefined : new Degraded(spool.refusal);
}

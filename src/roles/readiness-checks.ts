import { access, constants, mkdir } from 'node:fs/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Spool } from '../events/stream/spool.js';
import type { RunSettings } from '../platform/config/settings.js';
import { Degraded, Readiness } from '../platform/health/readiness.js';
import type { Infrastructure } from './infrastructure.module.js';

/**
 * A process is ready if it has the dependencies that its responses need. The API needs only Postgres: without Redis it
 * responds 202, and recovery delivers later. The tracking edge and the bounce listener need Redis or the spool for
 * their events. Redis without eviction is required only of processes that receive no traffic.
 */
export function registerReadinessChecks(
  app: NestFastifyApplication,
  { settings, database, redisPolicy, writeProbe }: Infrastructure,
): void {
  const readiness = app.get(Readiness);
  const { ROLES } = settings;
  const takesTraffic = ROLES.some((role) => role === 'api' || role === 'tracking' || role === 'bounces');
  const checkRedis = (): Promise<void> => writeProbe.check().then(() => redisPolicy.check());
  for (const role of ROLES) {
    if (role === 'tracking' || role === 'bounces') {
      const spool = app.get(Spool, { strict: false });
      readiness.require(role, 'redis or spool', () => writeProbe.check().catch(() => canSpool(settings, spool)));
    } else {
      if (takesTraffic) readiness.observe(role, 'redis', checkRedis);
      else readiness.require(role, 'redis', checkRedis);
      readiness.require(role, 'postgres', () => database.query('select 1'));
    }
  }
}

/** A full spool only degrades the edge. It loses events, but links keep working, which needs an edge in service. */
async function canSpool({ SPOOL_DIRECTORY }: RunSettings, spool: Spool): Promise<Degraded | undefined> {
  await mkdir(SPOOL_DIRECTORY, { recursive: true });
  await access(SPOOL_DIRECTORY, constants.W_OK);
  return spool.refusal === undefined ? undefined : new Degraded(spool.refusal);
}

import { setTimeout } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Registry } from 'prom-client';
import { monotonicClock, systemClock, type Clock } from '../platform/clock/clock.js';
import { unlessAborted } from '../platform/clock/unless-aborted.js';
import { withDeadline } from '../platform/clock/with-deadline.js';
import type { RunSettings } from '../platform/config/settings.js';
import { openDatabase } from '../platform/database/open-database.js';
import { PostgresClock } from '../platform/database/postgres-clock.js';
import { checkSchema } from '../platform/database/schema-check.js';
import { EventLoopDelay } from '../platform/health/event-loop-delay.js';
import { HealthController } from '../platform/health/health.controller.js';
import { createMetrics } from '../platform/health/metrics.js';
import { observePool } from '../platform/health/process-metrics.js';
import { Liveness } from '../platform/health/liveness.js';
import { Readiness } from '../platform/health/readiness.js';
import { StoreOutages } from '../platform/health/store-outages.js';
import type { Logger } from '../platform/logging/logger.js';
import { startOperatorServer, type OperatorSurfaces } from '../platform/operator/operator-server.js';
import { connectForCommands } from '../platform/redis/connect.js';
import { RedisPolicy } from '../platform/redis/redis-policy.js';
import { watchRedis } from '../platform/redis/watch-outages.js';
import { WriteProbe } from '../platform/redis/write-probe.js';
import { openTracing } from '../platform/tracing/open-tracing.js';
import type { HeldPort } from './held-port.js';
import type { Infrastructure } from './infrastructure.module.js';
import { requirePorts } from './require-ports.js';
import { startApp } from './start-app.js';

/** A hung Postgres must not hang our clients: they get 503 and can retry. */
const TIMEOUTS = { connectMs: 3_000, statementMs: 15_000 };
/** At the end of a stop, only statements of interrupted recurring jobs may still run. They may wait for a lock. */
const LAST_STATEMENTS_MS = 2_000;
const NEVER = new AbortController().signal;

export interface RunningRoles {
  /** Port of the public HTTP server. */
  readonly port: number;
  /** Port of the operator server. */
  readonly operatorPort: number;
  /** Port of the SMTP listener of the role `bounces`, if it runs. */
  readonly bouncePort: number | undefined;
  /** Port of the SMTP listener of the role `smtp`, if it runs. */
  readonly submissionPort: number | undefined;
  readonly metrics: Registry;
  /**
   * Drains and stops everything. Resolves when the process may exit.
   * @param serveOnMs how long to keep serving after readiness fails, so that load balancers can notice
   */
  stop(serveOnMs?: number): Promise<void>;
}

export interface RunOptions {
  /** The clock for everything, for tests. Without it, stored times follow the Postgres clock. */
  readonly clock?: Clock;
  /**
   * Ends the start while it waits for Postgres or Redis. From then on consumers may run, so the start goes on, and the
   * caller stops the roles: deliveries under way end properly.
   */
  readonly signal?: AbortSignal;
  /** Those that the logger reports. */
  readonly outages?: StoreOutages;
  /** PORT, if this process holds it: the HTTP server takes it over. */
  readonly heldPort?: HeldPort;
}

/**
 * Starts the roles of the settings in this process.
 * @throws the reason of the signal
 * @throws SchemaMismatchError when the database schema and this build are incompatible
 * @throws OperatorError when Redis may evict keys, or a port is in use
 */
export async function runRoles(
  settings: RunSettings,
  logger: Logger,
  { clock: fixed, signal = NEVER, outages = new StoreOutages(), heldPort }: RunOptions = {},
): Promise<RunningRoles> {
  await requirePorts(settings, heldPort);
  const clock = fixed ?? systemClock;
  const { DATABASE_URL, DATABASE_POOL_SIZE, DATABASE_POOLING: pooling } = settings;
  const open = () => openDatabase(DATABASE_URL, DATABASE_POOL_SIZE, { timeouts: TIMEOUTS, pooling, logger, outages });
  const database = await unlessAborted(signal, open);
  const redis = connectForCommands(settings);
  redis.on('error', (error) => logger.debug({ err: error }, 'Error on the connection to Redis'));
  const unwatchRedis = watchRedis(redis, outages);
  const tracing = await openTracing(settings);
  const delay = new EventLoopDelay();
  let postgresClock: PostgresClock | undefined;
  const release = async (): Promise<void> => {
    delay.stop();
    postgresClock?.stop();
    unwatchRedis();
    redis.disconnect();
    await withDeadline(LAST_STATEMENTS_MS, database.pool.end()).catch(() => undefined);
    await tracing.stop();
  };
  try {
    const redisPolicy = new RedisPolicy(redis, fixed ?? monotonicClock, logger);
    await unlessAborted(signal, () => Promise.all([checkSchema(database), redisPolicy.checkAtStart()]));
    redisPolicy.watch();
    if (!fixed) postgresClock = await unlessAborted(signal, () => PostgresClock.follow(database, clock, logger));
    const [metrics, writeProbe] = [createMetrics(), new WriteProbe(redis)];
    observePool(metrics, database);
    delay.register(metrics);
    delay.start();
    const clocks = { clock, monotonicClock: fixed ?? monotonicClock, postgresClock: postgresClock ?? clock };
    const infrastructure = { settings, logger, ...clocks, metrics, database, redis, redisPolicy, writeProbe, tracing };
    const app = await startApp(infrastructure, heldPort);
    const operators = await surfacesOf(app, infrastructure)
      .then((surfaces) => startOperatorServer(settings, surfaces))
      .catch((error: unknown) => app.close().then(() => Promise.reject(error)));
    // The operator server stops last, so that metrics and health stay visible during the drain.
    const stop = (serveOnMs = 0): Promise<void> =>
      stopApp(app, serveOnMs).finally(() => operators.stop().finally(release));
    const [bouncePort, submissionPort] = [await bouncePortOf(app, settings), await submissionPortOf(app, settings)];
    const ports = { port: portOf(app), operatorPort: operators.port, bouncePort, submissionPort };
    return { ...ports, metrics: infrastructure.metrics, stop };
  } catch (error) {
    await release();
    throw error;
  }
}

async function surfacesOf(
  app: NestFastifyApplication,
  { metrics, settings: { ROLES } }: Infrastructure,
): Promise<OperatorSurfaces> {
  const surfaces = { metrics, health: app.get(HealthController) };
  if (!ROLES.includes('api') && !ROLES.includes('worker')) return surfaces;
  const { ServiceHosts } = await import('../domains/tracking/service-hosts.js');
  const hosts = app.get(ServiceHosts, { strict: false });
  return { ...surfaces, isOurHost: (host) => hosts.has(host) };
}

async function stopApp(app: NestFastifyApplication, serveOnMs: number): Promise<void> {
  app.get(Readiness).stop();
  app.get(Liveness).stop();
  await setTimeout(serveOnMs);
  await app.close();
}

function portOf(app: NestFastifyApplication): number {
  const address = app.getHttpServer().address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function bouncePortOf(app: NestFastifyApplication, { ROLES }: RunSettings): Promise<number | undefined> {
  if (!ROLES.includes('bounces')) return undefined;
  const { BounceListener } = await import('../events/feedback/smtp/bounce-listener.js');
  return app.get(BounceListener, { strict: false }).port;
}

async function submissionPortOf(app: NestFastifyApplication, { ROLES }: RunSettings): Promise<number | undefined> {
  if (!ROLES.includes('smtp')) return undefined;
  const { SubmissionListener } = await import('../emails/submission/submission-listener.js');
  return app.get(SubmissionListener, { strict: false }).port;
}

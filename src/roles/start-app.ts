import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { RunSettings } from '../platform/config/settings.js';
import { portError } from '../platform/errors/port-error.js';
import { observeProcess } from '../platform/health/process-metrics.js';
import { Readiness } from '../platform/health/readiness.js';
import { BodyBudget } from '../platform/http/body-budget.js';
import { closeTimeoutsOf } from '../platform/http/closing-connections.js';
import { ErrorFilter } from '../platform/http/error.filter.js';
import { HttpMetrics } from '../platform/http/http-metrics.js';
import { createHttpAdapter } from '../platform/http/http-server.js';
import { NestLogger } from '../platform/logging/nest-logger.js';
import { EdgeRequests } from './edge-requests.js';
import type { HeldPort } from './held-port.js';
import type { Infrastructure } from './infrastructure.module.js';
import { registerReadinessChecks } from './readiness-checks.js';
import { loadApiModule, rootModule } from './role-modules.js';

/**
 * Starts the Nest application of the roles, and its HTTP server once it is ready.
 * @throws OperatorError when the port is in use
 */
export async function startApp(infrastructure: Infrastructure, heldPort?: HeldPort): Promise<NestFastifyApplication> {
  const { settings, logger, metrics } = infrastructure;
  const edge = settings.ROLES.includes('tracking') ? new EdgeRequests() : undefined;
  const httpMetrics = new HttpMetrics(metrics);
  const closeTimeouts = closeTimeoutsOf(settings);
  const adapter = createHttpAdapter({ settings, logger, metrics: httpMetrics, closeTimeouts, ...edge?.handlers });
  const app = await NestFactory.create<NestFastifyApplication>(await rootModule(infrastructure), adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new ErrorFilter(logger));
  if (settings.ROLES.includes('api')) await prepareApi(app, settings);
  if (takesBodies(settings)) httpMetrics.observeBodies(app.get(BodyBudget, { strict: false }));
  await app.init().catch(async (error: unknown) => {
    // What has begun by then must not go on without Postgres and Redis.
    await app.close().catch(() => undefined);
    throw error;
  });
  registerReadinessChecks(app, infrastructure);
  observeProcess(metrics, { readiness: app.get(Readiness), ...infrastructure });
  edge?.open(app);
  await listen(app, settings, heldPort);
  return app;
}

function takesBodies({ ROLES }: RunSettings): boolean {
  return ROLES.includes('api') || ROLES.includes('smtp');
}

/** Loads the API's request validation and documentation, which the other roles do not need. */
async function prepareApi(app: NestFastifyApplication, settings: RunSettings): Promise<void> {
  const { admitRequests } = await import('./admission.js');
  admitRequests(app);
  await serveApiDocs(app);
  const { unknownPathError } = await import('../emails/compatible-apis/unknown-path-error.js');
  app.getHttpAdapter().getInstance().decorate('errorBodyOfUnknownPath', unknownPathError);
  const { serveDashboard } = await import('./dashboard/serve-dashboard.js');
  const { dashboardUrl } = await import('../users/dashboard-url.js');
  serveDashboard(app.getHttpAdapter().getInstance(), new URL(dashboardUrl(settings)).hostname);
}

async function serveApiDocs(app: NestFastifyApplication): Promise<void> {
  const [api, { trackingPaths }, { createApiDocument }, { describeScopes }, { serveDocs }] = await Promise.all([
    loadApiModule(),
    import('./tracking/tracking-docs.js'),
    import('../platform/openapi/document.js'),
    import('../organizations/key-scopes.js'),
    import('../platform/openapi/docs-page.js'),
  ]);
  serveDocs(app.getHttpAdapter().getInstance(), () => describeScopes(createApiDocument(app, api, trackingPaths)));
}

async function listen(
  app: NestFastifyApplication,
  { PORT, HOST }: RunSettings,
  heldPort: HeldPort | undefined,
): Promise<void> {
  try {
    await (heldPort ? app.listen(heldPort) : app.listen(PORT, HOST));
  } catch (error) {
    await app.close();
    throw portError({ host: HOST, port: PORT, setting: 'PORT' }, error);
  }
}

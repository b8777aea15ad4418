import { isatty } from 'node:tty';
import { unlessAborted } from '../platform/clock/unless-aborted.js';
import { withDeadline } from '../platform/clock/with-deadline.js';
import { readEnvironment, readSettingsFile } from '../platform/config/environment.js';
import { openFilesWarnings, withinOpenFiles } from '../platform/config/open-files.js';
import { warningsOf } from '../platform/config/setting-warnings.js';
import { unknownSettings } from '../platform/config/unknown-settings.js';
import { hasAllRoles, readSettings, type RunSettings } from '../platform/config/settings.js';
import { EmbeddedServiceError } from '../embedded/embedded-service-error.js';
import { resolveEnvironment, type ResolvedEnvironment } from '../embedded/resolve-environment.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import { StoreOutages } from '../platform/health/store-outages.js';
import { createLogger, type Logger } from '../platform/logging/logger.js';
import { provideDemoOrganization } from '../embedded/demo-organization.js';
import { signInLink } from '../users/dashboard-url.js';
import { choosePort } from './choose-port.js';
import { runRoles, type RunningRoles } from './run-roles.js';
import { startupBanner } from './startup-banner.js';

/** File descriptors. */
const [STDIN, STDOUT] = [0, 1];
/**
 * A delivery may wait a few seconds for its provider, and then take until its own deadline. The rest is for storing its
 * outcome.
 */
const STOP_MARGIN_MS = 10_000;
/** Ctrl-C must end a development run within 5 seconds. Recovery handles unfinished work at the next start. */
const EMBEDDED_STOP_DEADLINE_MS = 3_000;

/** Load balancers check readiness every few seconds. */
const DEFAULT_DRAIN_DELAY_MS = 5_000;

/** Starts this process's roles with their dependencies, and stops everything in order on a signal. */
export async function start(projectDirectory: string): Promise<void> {
  const startedAt = Date.now();
  // Nothing can be written to a closed terminal or a full disk, and the process has more to do than that.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const settingsFile = readSettingsFile(projectDirectory);
  const environment = readEnvironment(projectDirectory, settingsFile);
  const given = readSettings(environment);
  const { settings, heldPort } = await choosePort(withinOpenFiles(given), environment);
  const interrupting = interruptedBySignals();
  const interruption = interrupting.signal;
  const resolved = await resolveEnvironment(settings, projectDirectory, { report: say, signal: interruption });
  const outages = new StoreOutages();
  const logger = createLogger(resolved.logLevel, resolved.settings.ROLES, { outages });
  // Before anything can fail because of them.
  const warnings = [...unknownSettings(environment, settingsFile), ...openFilesWarnings(given)];
  for (const warning of warnings) logger.warn(warning);
  resolved.keepRunning(logger, (error) => interrupting.abort(error));
  try {
    if (hasAllRoles(settings.ROLES)) {
      await unlessAborted(interruption, () => migrateSchema(resolved.settings, logger));
    }
    const roles = await runRoles(resolved.settings, logger, { signal: interruption, outages, heldPort });
    const tookMs = Date.now() - startedAt;
    // Of the settings as given: resolved ones do not show what is embedded.
    const started = { roles, resolved, projectDirectory, logger, tookMs, warnings: warningsOf(given) };
    stopWhenAborted(interruption, started);
    await announce(started).catch(async (error: unknown) => {
      // After a signal, the stop ends what the announcement needs, and then the process.
      if (interruption.aborted) return;
      await stopRoles(started);
      throw error;
    });
  } catch (error) {
    await resolved.stop();
    throw error;
  }
}

/**
 * Loads TypeORM only for the migration, because it takes a fifth of a role's memory and startup time. A migration that
 * ends with its process continues at the next start.
 */
async function migrateSchema({ DATABASE_URL }: RunSettings, logger: Logger): Promise<void> {
  const { migrate } = await import('../platform/database/migrate.js');
  await migrate(DATABASE_URL, {
    onBlocked: (reason) => logger.warn({ reason }, 'The migration of the database has to wait'),
  });
}

interface Started {
  readonly roles: RunningRoles;
  readonly resolved: ResolvedEnvironment;
  readonly projectDirectory: string;
  readonly logger: Logger;
  readonly tookMs: number;
  /** About settings that are valid but probably mistakes. */
  readonly warnings: readonly string[];
}

async function announce(started: Started): Promise<void> {
  const { roles, resolved, logger, warnings } = started;
  if (roles.bouncePort !== undefined) await resolved.returnBouncesTo(roles.bouncePort);
  for (const warning of warnings) logger.warn(warning);
  await greet(started);
}

/** Prints the banner for development and terminals, and otherwise logs one line. */
async function greet({ roles, resolved, projectDirectory, logger, tookMs }: Started): Promise<void> {
  const { settings, inboxUrl, embedded } = resolved;
  const localAddress = `http://localhost:${roles.port}`;
  await resolved.recordAddress(localAddress);
  if (!embedded && !process.stdout.isTTY) {
    logger.info({ port: roles.port, operatorPort: roles.operatorPort, ms: tookMs }, 'Ready');
    return;
  }
  const demo = resolved.embeddedPostgres ? await provideDemoOrganization(settings, projectDirectory) : undefined;
  const operatorAddress = `http://localhost:${roles.operatorPort}`;
  const signInUrl = demo && signInLink(localAddress, demo.signInToken);
  say(
    startupBanner({
      ...{ localAddress, operatorAddress, inboxUrl, signInUrl, tookMs },
      ...{ apiKey: demo?.apiKey, roles: settings.ROLES, submissionPort: roles.submissionPort },
    }),
  );
}

/**
 * Aborts on the first SIGINT or SIGTERM, and when the terminal is closed, which would otherwise end this process
 * without its embedded services. Further signals have no effect, so that pressing Ctrl-C twice loses no mail.
 */
function interruptedBySignals(): AbortController {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new OperatorError('Stopped before the start was complete'));
  process.on('SIGINT', abort).on('SIGTERM', abort);
  // Under nohup, which takes both away, the process must outlive its terminal. Node ends it unless there is a listener.
  const hasTerminal = isatty(STDIN) || isatty(STDOUT);
  process.on('SIGHUP', hasTerminal ? abort : () => undefined);
  return controller;
}

function stopWhenAborted(interruption: AbortSignal, started: Started): void {
  const { resolved, logger } = started;
  const stop = async (): Promise<void> => {
    const failure = interruption.reason instanceof EmbeddedServiceError ? interruption.reason : undefined;
    if (failure) logger.fatal(failure.message);
    logger.info('Stopping');
    await stopRoles(started);
    await resolved.stop();
    logger.info('Stopped');
    process.exit(failure ? 1 : 0);
  };
  if (interruption.aborted) void stop();
  else interruption.addEventListener('abort', () => void stop());
}

/** Drains and stops the roles, in as much time as deliveries may take. */
async function stopRoles({ roles, resolved, logger }: Started): Promise<void> {
  const serveOnMs = drainDelayOf(resolved.settings);
  const ownMs = resolved.embedded ? EMBEDDED_STOP_DEADLINE_MS : resolved.settings.DELIVERY_TIMEOUT_MS + STOP_MARGIN_MS;
  const stopped = roles.stop(serveOnMs).catch((error: unknown) => logger.error({ err: error }, 'Stopping failed'));
  await withDeadline(serveOnMs + ownMs, stopped).catch(() =>
    logger.warn('Shutdown timed out; unfinished work is recovered at the next start'),
  );
}

/** Only processes behind a load balancer wait for it to notice. A process with all roles usually has none. */
function drainDelayOf({ DRAIN_DELAY_MS, ROLES }: RunSettings): number {
  if (DRAIN_DELAY_MS !== undefined) return DRAIN_DELAY_MS;
  const serves = ROLES.some((role) => role === 'api' || role === 'tracking' || role === 'smtp');
  return serves && !hasAllRoles(ROLES) ? DEFAULT_DRAIN_DELAY_MS : 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

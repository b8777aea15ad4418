import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { readSettings, type Role } from '../../../src/platform/config/settings.js';
import { Database } from '../../../src/platform/database/database.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { Organizations } from '../../../src/organizations/organizations.js';
import { Plans } from '../../../src/organizations/plans.js';
import { cleanUpIfKilled, PROCESSES_DIRECTORY } from '../../support/clean-up-if-killed.js';
import { PrivatePostgres } from '../../support/private-postgres.js';
import { PrivateRedis } from '../../support/private-redis.js';
import { SendGridStub } from '../../support/sendgrid-stub.js';
import { EventWebhookKey } from '../../support/sendgrid-calls.js';
import { SmtpStub } from '../../support/smtp-stub.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { CANARIES } from '../canaries.js';
import { DeliveredWebhooks } from './delivered-webhooks.js';
import { UnknownOutcomes } from './unknown-outcomes.js';
import { freePort } from '../../../src/embedded/free-port.js';
import { resetProxy, startProxies, closeProxies, settingsThrough, type Dependencies } from './dependency-proxies.js';
import { DEFAULT_PROCESS_COUNTS, environmentWith, POSTGRES_SETTINGS, type ProcessCounts } from './testbed-settings.js';
import { ServiceLog } from './service-log.js';
import { ServiceProcess } from './service-process.js';

export interface TestbedOptions {
  readonly processCounts?: ProcessCounts;
  readonly settings?: Readonly<Record<string, string>>;
  readonly postgres?: PrivatePostgres;
  readonly redis?: PrivateRedis;
  /** The command that starts a process; the build of these sources by default. */
  readonly program?: readonly string[];
}

/**
 * The whole service as on several hosts: its processes, a real Postgres and Redis, and stubs of providers and
 * receivers.
 */
export class Testbed {
  private readonly services: ServiceProcess[] = [];
  /** Signs what SendGrid posts to the Event Webhook. */
  readonly eventWebhookKey = new EventWebhookKey();
  readonly deliveredWebhooks: DeliveredWebhooks;
  readonly unknownOutcomes: UnknownOutcomes;

  private constructor(
    readonly directory: string,
    readonly postgres: PrivatePostgres,
    readonly redis: PrivateRedis,
    readonly smtp: SmtpStub,
    readonly sendGrid: SendGridStub,
    readonly receiver: WebhookReceiver,
    private readonly pool: Pool,
    private readonly watcher: { dismiss(): void },
    private readonly environment: Readonly<Record<string, string>>,
    private readonly program: readonly string[] | undefined,
  ) {
    this.deliveredWebhooks = new DeliveredWebhooks(receiver);
    this.unknownOutcomes = new UnknownOutcomes(this.database, sendGrid, smtp);
  }

  static async start({
    processCounts = DEFAULT_PROCESS_COUNTS,
    settings = {},
    program,
    ...given
  }: TestbedOptions = {}): Promise<Testbed> {
    const directory = await mkdtemp(join(tmpdir(), 'mailbeacon-faults-'));
    await mkdir(join(directory, PROCESSES_DIRECTORY));
    const [postgres, redis, smtp, sendGrid, receiver] = await Promise.all([
      given.postgres ?? PrivatePostgres.start(POSTGRES_SETTINGS),
      given.redis ?? PrivateRedis.start(),
      SmtpStub.listen(),
      SendGridStub.listen(),
      WebhookReceiver.listen(),
    ]);
    await migrate(postgres.url);
    const pool = new Pool({ connectionString: postgres.url, max: 4 });
    pool.on('error', () => undefined);
    const environment = environmentWith(settings);
    const watcher = cleanUpIfKilled(directory);
    const stubs = [smtp, sendGrid, receiver] as const;
    const testbed = new Testbed(directory, postgres, redis, ...stubs, pool, watcher, environment, program);
    try {
      for (const [role, count] of Object.entries(processCounts) as [Role, number][]) {
        for (let number = 1; number <= count; number++) await testbed.add(role);
      }
      await Promise.all(testbed.all.map((service) => service.start()));
      return testbed;
    } catch (error) {
      await testbed.remove();
      throw error;
    }
  }

  /** Contains a folder for each process. */
  get spoolDirectory(): string {
    return join(this.directory, 'spool');
  }

  get all(): readonly ServiceProcess[] {
    return this.services;
  }
  get apis(): readonly ServiceProcess[] {
    return this.ofRole('api');
  }
  get edges(): readonly ServiceProcess[] {
    return this.ofRole('tracking');
  }
  get workers(): readonly ServiceProcess[] {
    return this.ofRole('worker');
  }
  get flushers(): readonly ServiceProcess[] {
    return this.ofRole('flusher');
  }

  /** Queries Postgres past the proxies, so that faults do not affect it. */
  get database(): Database {
    return new Database(this.pool);
  }

  /** Adds a process of a role without starting it. */
  async add(role: Role): Promise<ServiceProcess> {
    const name = `${role}-${this.ofRole(role).length + 1}`;
    const proxies = await startProxies(this.dependencies);
    const service = new ServiceProcess({
      name,
      role,
      port: await freePort(),
      proxies,
      environment: {
        ...this.environment,
        ...settingsThrough(proxies, this.dependencies),
        SENDGRID_EVENT_PUBLIC_KEY: this.eventWebhookKey.publicKey,
        // Scenarios report far more bounces than the guard tolerates; it must not stop their emails.
        GUARD_MIN_SENT: '1000000',
        SPOOL_DIRECTORY: join(this.spoolDirectory, name),
      },
      log: new ServiceLog(Object.values(CANARIES)),
      pidDirectory: join(this.directory, PROCESSES_DIRECTORY),
      ...(this.program && { program: this.program }),
      ...(role === 'worker' && { onStopped: () => this.unknownOutcomes.workerStopped() }),
    });
    this.services.push(service);
    return service;
  }

  /** Creates an organization with an API key. */
  createOrganization(name: string): Promise<{ id: string; apiKey: string }> {
    const organizations = new Organizations(this.database, new Plans(readSettings({})), systemClock);
    return organizations.create(name, 'unlimited');
  }

  /** Calls Redis past the proxies, so that faults do not affect it. */
  async withRedis<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result> {
    const redis = new Redis(this.redis.url, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }

  /** Ends all faults of a scenario that threw, and restarts every process that is down. */
  async repair(): Promise<void> {
    this.redis.thaw();
    for (const service of this.services) {
      service.thaw();
      for (const proxy of Object.values(service.proxies)) await resetProxy(proxy);
    }
    await Promise.all(this.services.map((service) => service.isRunning || service.start()));
  }

  async remove(): Promise<void> {
    await Promise.all(this.services.map((service) => service.kill()));
    await Promise.all(this.services.map((service) => closeProxies(service.proxies)));
    await this.pool.end();
    await Promise.all([this.smtp.close(), this.sendGrid.close(), this.receiver.stop()]);
    await Promise.all([this.postgres.remove(), this.redis.remove()]);
    this.watcher.dismiss();
    await rm(this.directory, { recursive: true, force: true });
  }

  private get dependencies(): Dependencies {
    return {
      redis: this.redis.url,
      postgres: this.postgres.url,
      smtp: this.smtp.url,
      sendGrid: this.sendGrid.url,
    };
  }

  ofRole(role: Role): readonly ServiceProcess[] {
    return this.services.filter(({ name }) => name.startsWith(`${role}-`));
  }
}

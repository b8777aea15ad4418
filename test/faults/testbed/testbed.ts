import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { readSettings, type Role } from '../../../src/platform/config/settings.js';
import { Database } from '../../../src/platform/database/database.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { newEncryptionKey } from '../../../src/platform/encryption/encryption-keys.js';
import { Organizations } from '../../../src/organizations/organizations.js';
import { Plans } from '../../../src/organizations/plans.js';
import { cleanUpWhenWeDie, PROCESSES_DIRECTORY } from '../../support/clean-up-when-we-die.js';
import { PrivatePostgres } from '../../support/private-postgres.js';
import { PrivateRedis } from '../../support/private-redis.js';
import { SendGridStub } from '../../support/sendgrid-stub.js';
import { EventWebhookKey } from '../../support/signed-calls.js';
import { SmtpStub } from '../../support/smtp-stub.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { CANARIES } from '../canaries.js';
import { DeliveredWebhooks } from './delivered-webhooks.js';
import { UnknownOutcomes } from './unknown-outcomes.js';
import { reservedPort } from './reserved-port.js';
import { resetProxy, startProxies, closeProxies, settingsThrough, type Dependencies } from './dependency-proxies.js';
import { ServiceLog } from './service-log.js';
import { ServiceProcess } from './service-process.js';

/** How many processes take each role. */
export type ProcessCounts = Readonly<Record<Role, number>>;

export const DEFAULT_PROCESS_COUNTS: ProcessCounts = { api: 2, tracking: 2, worker: 2, flusher: 2, bounces: 0 };

/** Waits as short as the product allows, so that a scenario does not take minutes. */
const SHORT_WAITS = {
  DELIVERY_PROVIDER: 'sendgrid',
  DELIVERY_TIMEOUT_MS: '15000',
  AMBIGUOUS_RESEND_AFTER_MS: '2000',
  SEND_RESPONSE_TIMEOUT_MS: '4000',
  RATE_LIMIT_PER_MINUTE: '0',
  DATABASE_POOL_SIZE: '6',
  DRAIN_DELAY_MS: '1000',
  // Readers are quick here. Most would be instant, and no rule would change an event that is stored already.
  ENGAGEMENT_INSTANT_MS: '500',
};

/** The page cache survives a process that is killed. A commit must have reached it: synchronous_commit stays on. */
const POSTGRES_SETTINGS = { fsync: 'off', max_connections: '300', shared_buffers: '128MB' };

export interface TestbedOptions {
  readonly processCounts?: ProcessCounts;
  readonly settings?: Readonly<Record<string, string>>;
  readonly postgres?: PrivatePostgres;
  readonly redis?: PrivateRedis;
  /** Starts a process of another build than that of these sources. */
  readonly program?: readonly string[];
}

/** The whole service as it runs on several hosts: real processes, a real Postgres and Redis, and stubs around it. */
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
    const environment = {
      ...SHORT_WAITS,
      HOST: '127.0.0.1',
      OPERATOR_PORT: '0',
      BASE_URL: 'http://track.test',
      PLATFORM_SENDING_DOMAIN: 'platform.test',
      ENCRYPTION_KEYS: newEncryptionKey('test'),
      SENDGRID_API_KEY: CANARIES.providerKey,
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
      // Every answered hit is looked for by its id.
      EVENTS_PER_EMAIL_PER_MINUTE: '65535',
      ...settings,
    };
    const watcher = cleanUpWhenWeDie(directory);
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

  /** Has a folder for each process. */
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

  /** A look into Postgres that no fault is in the way of. */
  get database(): Database {
    return new Database(this.pool);
  }

  /** One more process of a role, not started yet. */
  async add(role: Role): Promise<ServiceProcess> {
    const name = `${role}-${this.ofRole(role).length + 1}`;
    const proxies = await startProxies(this.dependencies);
    const service = new ServiceProcess({
      name,
      role,
      port: await reservedPort(),
      proxies,
      environment: {
        ...this.environment,
        ...settingsThrough(proxies, this.dependencies),
        SENDGRID_EVENT_PUBLIC_KEY: this.eventWebhookKey.publicKey,
        // The reports of a scenario bounce far more than a provider would bear: its mail shall go on all the same.
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

  /** A new organization and its key. */
  createOrganization(name: string): Promise<{ id: string; apiKey: string }> {
    const organizations = new Organizations(this.database, new Plans(readSettings({})), systemClock);
    return organizations.create(name, 'unlimited');
  }

  /** A look into Redis that no fault is in the way of. */
  async withRedis<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result> {
    const redis = new Redis(this.redis.url, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }

  /** Undoes what a scenario that broke off has left behind. */
  async heal(): Promise<void> {
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

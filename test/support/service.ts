import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Registry } from 'prom-client';
import { request } from 'undici';
import { systemClock, type Clock } from '../../src/platform/clock/clock.js';
import { readSettings, type RunSettings } from '../../src/platform/config/settings.js';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import type { Database } from '../../src/platform/database/database.js';
import { Organizations } from '../../src/organizations/organizations.js';
import { Plans } from '../../src/organizations/plans.js';
import type { Logger } from '../../src/platform/logging/logger.js';
import { runRoles } from '../../src/roles/run-roles.js';
import { createTestDatabase, createTestRedis } from './services.js';
import { lazyDatabase } from './lazy-database.js';
import { SmtpStub } from './smtp-stub.js';

/** Base URL of tracking links; `track` replaces it with the real address. */
const BASE_URL = 'http://track.test';

/** Shared by all services, as by processes that share a database. */
const ENCRYPTION_KEYS = newEncryptionKey('test');

/** POST /api/send responds with the result, however long a busy machine takes to deliver. */
export const AWAIT_RESULT = { SEND_RESPONSE_TIMEOUT_MS: '120000' } as const;

export interface ServiceOptions {
  /** Environment variables that override the defaults of tests. */
  readonly environment?: Record<string, string>;
  readonly clock?: Clock;
  /** Another service whose database, Redis and mail server this one shares, as an additional process would. */
  readonly beside?: Pick<TestService, 'settings' | 'mailServer'>;
  /** Cost of a password hash, minimal by default. In production it is 17: a third of a second of one core. */
  readonly passwordLogN?: number;
  /** Destination of the log; none by default. */
  readonly logger?: Logger;
}

type RequestOptions = Parameters<typeof request>[1];

export interface ApiResponse<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The real service: all roles on one port, with its own database, Redis and mail server. */
export class TestService {
  private constructor(
    readonly settings: RunSettings,
    readonly database: Database,
    readonly mailServer: SmtpStub,
    /** Empties this service's Redis, as an accidental FLUSHALL would. */
    readonly forgetRedis: () => Promise<void>,
    private readonly closers: (() => Promise<unknown>)[],
    readonly metrics: Registry,
  ) {}

  static async start(options: ServiceOptions = {}): Promise<TestService> {
    const { beside } = options;
    const [testDatabase, testRedis, mailServer, spool] = await Promise.all([
      beside ? { url: beside.settings.DATABASE_URL, discard: nothing } : createTestDatabase(),
      beside ? { url: beside.settings.REDIS_URL, flush: nothing } : createTestRedis(),
      beside ? beside.mailServer : SmtpStub.listen(),
      mkdtemp(join(tmpdir(), 'mailbeacon-test-')),
    ]);
    const settings = {
      ...readSettings({
        BASE_URL,
        SPOOL_DIRECTORY: spool,
        PLATFORM_SENDING_DOMAIN: 'platform.test',
        ENCRYPTION_KEYS,
        OPERATOR_PORT: '0',
        // Most tests register URLs of hosts that do not exist.
        WEBHOOK_VERIFY_OWNERSHIP: 'never',
        // A new connection takes Postgres as long as dozens of statements.
        DATABASE_POOL_SIZE: '4',
        // Nothing listens there: tests that need DNS start a server.
        DNS_SERVERS: '127.0.0.1:9',
        ...options.environment,
      }),
      DATABASE_URL: options.environment?.DATABASE_URL ?? testDatabase.url,
      REDIS_URL: options.environment?.REDIS_URL ?? testRedis.url,
      SMTP_URL: options.environment?.SMTP_URL ?? mailServer.url,
      PORT: 0,
      HOST: options.environment?.HOST ?? '127.0.0.1',
      BASE_URL,
      PASSWORD_LOG_N: options.passwordLogN ?? 4,
    };
    const closers = [
      () => (beside ? nothing() : mailServer.close()),
      async () => testDatabase.discard(),
      () => rm(spool, { recursive: true, force: true }),
    ];
    try {
      const database = lazyDatabase(settings.DATABASE_URL, 3, settings.DATABASE_POOLING);
      closers.unshift(() => database.pool.end());
      const logger = options.logger ?? pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
      const roles = await runRoles(settings, logger, { clock: options.clock });
      closers.unshift(() => roles.stop());
      return new TestService(
        {
          ...settings,
          ...{ PORT: roles.port, OPERATOR_PORT: roles.operatorPort },
          ...{ BOUNCE_SMTP_PORT: roles.bouncePort, SUBMISSION_PORT: roles.submissionPort },
        },
        database,
        mailServer,
        testRedis.flush,
        closers,
        roles.metrics,
      );
    } catch (error) {
      await closeAll(closers).catch(() => undefined);
      throw error;
    }
  }

  /** Another client of the same organization, here or at another service. */
  client(organizationId: string, apiKey: string): TestClient {
    return new TestClient(this, organizationId, apiKey);
  }

  get address(): string {
    return `http://127.0.0.1:${this.settings.PORT}`;
  }

  /** Address of the operator port. */
  get operatorAddress(): string {
    return `http://127.0.0.1:${this.settings.OPERATOR_PORT}`;
  }

  /** Creates an organization and returns a client with its key. */
  async organization(plan = 'pro', name = 'Test'): Promise<TestClient> {
    const organizations = new Organizations(this.database, new Plans(this.settings), systemClock);
    const { id, apiKey } = await organizations.create(name, plan);
    return new TestClient(this, id, apiKey);
  }

  /** Requests a tracking URL at this service's real address, without following redirects. */
  track(url: string, init: RequestInit = {}): Promise<Response> {
    const { pathname, search } = new URL(url);
    return fetch(this.address + pathname + search, { redirect: 'manual', ...init });
  }

  stop(): Promise<void> {
    return closeAll(this.closers);
  }
}

/** Each in turn, even if an earlier one fails. */
async function closeAll(closers: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers) await close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** An API client with an API key. */
export class TestClient {
  constructor(
    private readonly service: TestService,
    readonly organizationId: string,
    readonly apiKey: string,
  ) {}

  get<Body = Record<string, unknown>>(path: string, headers: Record<string, string> = {}): Promise<ApiResponse<Body>> {
    return this.request(path, { headers });
  }

  post<Body = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse<Body>> {
    const content = typeof body === 'string' ? body : JSON.stringify(body);
    return this.request(path, {
      method: 'POST',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: content }),
    });
  }

  put<Body = Record<string, unknown>>(path: string, body: unknown): Promise<ApiResponse<Body>> {
    return this.sendJson('PUT', path, body);
  }

  patch<Body = Record<string, unknown>>(path: string, body: unknown): Promise<ApiResponse<Body>> {
    return this.sendJson('PATCH', path, body);
  }

  private sendJson<Body>(method: string, path: string, body: unknown): Promise<ApiResponse<Body>> {
    const headers = { 'content-type': 'application/json' };
    return this.request(path, { method, headers, body: JSON.stringify(body) });
  }

  delete<Body = Record<string, unknown>>(path: string): Promise<ApiResponse<Body>> {
    return this.request(path, { method: 'DELETE' });
  }

  async request<Body>(
    path: string,
    init: RequestInit & { headers?: Record<string, string> },
  ): Promise<ApiResponse<Body>> {
    const headers = { 'x-api-key': this.apiKey, ...init.headers };
    // fetch would take twice the processor time.
    const response = await request(this.service.address + path, { ...init, headers } as RequestOptions);
    const text = await response.body.text();
    const received = new Headers();
    for (const [name, values] of Object.entries(response.headers))
      for (const value of [values ?? []].flat()) received.append(name, value);
    const isJson = received.get('content-type')?.startsWith('application/json');
    const body = (text === '' ? undefined : isJson ? JSON.parse(text) : text) as Body;
    return { status: response.statusCode, headers: received, body };
  }
}

async function nothing(): Promise<void> {}

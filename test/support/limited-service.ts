import { migrate } from '../../src/platform/database/migrate.js';
import type { Database } from '../../src/platform/database/database.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { PROCESS_ROLES, type ProcessRole } from '../../src/platform/database/process-rights.js';
import { provideLogins } from './limited-logins.js';
import { PrivatePostgres } from './private-postgres.js';
import { PrivateRedis } from './private-redis.js';
import { TestService } from './service.js';

/** The whole service, where each role uses its own Postgres login and Redis user, with the rights of that role only. */
export class LimitedService {
  private constructor(
    private readonly postgres: PrivatePostgres,
    readonly redis: PrivateRedis,
    /** Connected with all rights. */
    readonly owner: Database,
    readonly roles: Readonly<Record<ProcessRole, TestService>>,
  ) {}

  static async start(environment: Record<string, string>): Promise<LimitedService> {
    const postgres = await PrivatePostgres.start({ fsync: 'off', synchronous_commit: 'off' });
    const redis = await PrivateRedis.start();
    await migrate(postgres.url);
    const logins = await provideLogins(postgres.url, redis.url);
    const owner = await openDatabase(postgres.url, 3);
    const roles: Partial<Record<ProcessRole, TestService>> = {};
    for (const role of PROCESS_ROLES) {
      roles[role] = await TestService.start({
        environment: { ...environment, ...logins[role], ROLES: role },
        ...(roles.api && { beside: roles.api }),
      });
    }
    return new LimitedService(postgres, redis, owner, roles as Record<ProcessRole, TestService>);
  }

  /** What Postgres and Redis refused for missing rights, according to their own logs. */
  async refusals(): Promise<string[]> {
    const lines = (await this.postgres.log()).split('\n');
    const ofPostgres = lines.flatMap((line, at) =>
      /permission denied|must be owner/.test(line) ? [lines.slice(at, at + 3).join(' ')] : [],
    );
    return [...ofPostgres, ...((await this.redis.command('ACL', 'LOG')) as unknown[]).map(String)];
  }

  async stop(): Promise<void> {
    for (const role of [...PROCESS_ROLES].reverse()) await this.roles[role].stop();
    await this.owner.pool.end();
    await this.redis.remove();
    await this.postgres.remove();
  }
}

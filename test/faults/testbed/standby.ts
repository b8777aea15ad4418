import { Client } from 'pg';
import type { Database } from '../../../src/platform/database/database.js';
import { eventually } from '../../support/eventually.js';
import { PrivatePostgres } from '../../support/private-postgres.js';
import { TcpProxy } from '../../support/tcp-proxy.js';

const TIMEOUT_MS = 30_000;

/** A standby of the testbed's Postgres that can take over. */
export class Standby {
  private constructor(
    private readonly primary: PrivatePostgres,
    /** Queries the primary, and after a takeover the server that replaced it. */
    private readonly database: Database,
    private readonly server: PrivatePostgres,
    private readonly replication: TcpProxy,
  ) {}

  static async of(primary: PrivatePostgres, database: Database): Promise<Standby> {
    const replication = await TcpProxy.before(new URL(primary.url));
    const server = await PrivatePostgres.standbyOf(primary, new URL(replication.through(primary.url)));
    const standby = new Standby(primary, database, server, replication);
    await standby.waitUntilCaughtUp();
    return standby;
  }

  /** From now on, the primary confirms no commit before the standby has it. */
  async makeSynchronous(): Promise<void> {
    await this.database.query(`alter system set synchronous_standby_names = '*'`);
    await this.database.query('select pg_reload_conf()');
    await this.waitForReplication(`sync_state = 'sync'`);
  }

  async waitUntilCaughtUp(): Promise<void> {
    await this.waitForReplication('replay_lsn = pg_current_wal_lsn()');
  }

  /** The standby stays connected and receives nothing more. */
  fallBehind(): void {
    this.replication.hold();
  }

  /**
   * Crashes the primary and lets the standby take over its address.
   * @returns the milliseconds without Postgres
   */
  async takeOver(): Promise<number> {
    const crashedAt = performance.now();
    await this.primary.stop('immediate');
    await this.replication.goDown();
    await promote(this.server);
    await this.server.stop('fast');
    await this.primary.startWithDataOf(this.server);
    return performance.now() - crashedAt;
  }

  async remove(): Promise<void> {
    await this.replication.goDown();
    await this.server.remove();
  }

  private async waitForReplication(condition: string): Promise<void> {
    await eventually(async () => {
      const rows = await this.database.query(`select 1 from pg_stat_replication where ${condition}`);
      return rows.length === 1;
    }, TIMEOUT_MS);
  }
}

async function promote({ url }: PrivatePostgres): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ promoted: boolean }>('select pg_promote() as promoted');
  await client.end();
  if (!rows[0]!.promoted) throw new Error('The standby was not promoted');
}

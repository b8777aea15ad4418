import { pino } from 'pino';
import { Registry } from 'prom-client';
import { GuardMetrics } from '../../src/organizations/guard/guard-metrics.js';
import { SendingGuards } from '../../src/organizations/guard/sending-guards.js';
import type { Database } from '../../src/platform/database/database.js';
import { JobProducer } from '../../src/platform/queue/job-producer.js';
import { connectForBlocking } from '../../src/platform/redis/connect.js';
import type { TestClient, TestService } from './service.js';

/** Runs the guard as the recurring job does, at times that the test chooses. */
export class TestGuards {
  private constructor(
    private readonly guards: SendingGuards,
    private readonly database: Database,
    readonly stop: () => Promise<void>,
  ) {}

  static beside({ database, settings }: TestService): TestGuards {
    const logger = pino({ level: 'silent' });
    const redis = connectForBlocking(settings.REDIS_URL);
    const producer = new JobProducer(redis, logger);
    const guards = new SendingGuards(database, settings, new GuardMetrics(new Registry(), database), producer, logger);
    return new TestGuards(guards, database, async () => {
      await producer.onApplicationShutdown();
      redis.disconnect();
    });
  }

  evaluate(): Promise<void> {
    return this.guards.evaluate();
  }

  /** The state of an organization that the guard has checked at least once. */
  async stateOf({ organizationId }: TestClient): Promise<string | undefined> {
    const [row] = await this.database.query<{ state: string }>(
      'select state from sending_guards where organization_id = $1',
      [organizationId],
    );
    return row?.state;
  }

  async setState({ organizationId }: TestClient, state: string): Promise<void> {
    await this.database.query('update sending_guards set state = $2 where organization_id = $1', [
      organizationId,
      state,
    ]);
  }

  /** Sets the counted number of bounced recipients of an organization. */
  async recount({ organizationId }: TestClient, bounced: number): Promise<void> {
    await this.database.query('update sending_rates set bounced = $2 where organization_id = $1', [
      organizationId,
      bounced,
    ]);
  }
}

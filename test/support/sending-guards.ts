import { pino } from 'pino';
import { Registry } from 'prom-client';
import { GuardMetrics } from '../../src/organizations/guard/guard-metrics.js';
import { SendingGuards } from '../../src/organizations/guard/sending-guards.js';
import { JobProducer } from '../../src/platform/queue/job-producer.js';
import { connectForCommands } from '../../src/platform/redis/connect.js';
import type { TestService } from './service.js';

/** The guard as the recurring job runs it, but when the test says so. */
export class TestGuards {
  private constructor(
    private readonly guards: SendingGuards,
    readonly stop: () => Promise<void>,
  ) {}

  static beside({ database, settings }: TestService): TestGuards {
    const logger = pino({ level: 'silent' });
    const redis = connectForCommands(settings.REDIS_URL);
    const producer = new JobProducer(redis, logger);
    const guards = new SendingGuards(database, settings, new GuardMetrics(new Registry(), database), producer, logger);
    return new TestGuards(guards, async () => {
      await producer.onApplicationShutdown();
      redis.disconnect();
    });
  }

  evaluate(): Promise<void> {
    return this.guards.evaluate();
  }
}

import { Pool } from 'pg';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { Database } from '../../../src/platform/database/database.js';
import { Flusher } from '../../../src/roles/flusher/flusher.js';
import { ALL_RULES_OFF } from '../../../src/events/ingest/rules/hit.js';
import { FlusherMetrics } from '../../../src/roles/flusher/flusher-metrics.js';
import { connectForCommands } from '../../../src/platform/redis/connect.js';
import { EventConsumer } from '../../../src/events/stream/event-consumer.js';

/** A flusher in a process of its own, to be killed. Arguments: Redis URL, Postgres URL, consumer name. */
const [redisUrl, databaseUrl, name] = process.argv.slice(2) as [string, string, string];
const redis = connectForCommands(redisUrl);
const database = new Database(new Pool({ connectionString: databaseUrl, max: 4 }));
const logger = pino({ level: 'fatal' });
new Flusher(new EventConsumer(redis, name), database, systemClock, logger, new FlusherMetrics(new Registry()), {
  SOFT_BOUNCE_LIMIT: 5,
  ...ALL_RULES_OFF,
}).start();
process.stdout.write('started\n');

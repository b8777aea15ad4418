import { once } from 'node:events';
import { pino } from 'pino';
import { HeldMail } from '../../../../src/emails/delivery/organizations/held-mail.js';
import { openDatabase } from '../../../../src/platform/database/open-database.js';
import { connectForCommands } from '../../../../src/platform/redis/connect.js';

/**
 * A process that dies while it releases held mail. Arguments: the URLs of Postgres and Redis, at which statement that
 * releases emails, and whether before or after its commit.
 */
const [postgresUrl, redisUrl, statement, when] = process.argv.slice(2);
const database = await openDatabase(postgresUrl!, 2);
const transaction = database.transaction.bind(database);
let statements = 0;
const dieAt = (moment: string): void => {
  if (when === moment && statements === Number(statement)) process.kill(process.pid, 'SIGKILL');
};

database.transaction = async (work) => {
  const result = await transaction(async (sql) => {
    const done = await work(sql);
    statements += 1;
    dieAt('before');
    return done;
  });
  dieAt('after');
  return result;
};

const redis = connectForCommands(redisUrl!);
await once(redis, 'ready');
await new HeldMail(database, redis, pino({ level: 'silent' })).release();
process.exit();

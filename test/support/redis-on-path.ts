import { delimiter, dirname, join } from 'node:path';
import { provideRedisBinary } from '../../src/embedded/provide-redis.js';

/** The folder into which npm start unpacks a Redis, too. */
const STATE_DIRECTORY = join(import.meta.dirname, '..', '..', '.mailbeacon');

/**
 * Adds a Redis to the PATH of this process, where code that starts its own server searches for one.
 * @returns the path of its redis-server
 */
export async function putRedisOnPath(): Promise<string> {
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const executable = await provideRedisBinary(STATE_DIRECTORY, { report });
  process.env['PATH'] = `${dirname(executable)}${delimiter}${process.env['PATH']}`;
  return executable;
}

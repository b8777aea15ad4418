import { delimiter, dirname, join } from 'node:path';
import { provideRedisBinary } from '../../src/embedded/provide-redis.js';

/** Where npm start unpacks a Redis, too. */
const STATE_DIRECTORY = join(import.meta.dirname, '..', '..', '.mailbeacon');

/**
 * Puts a Redis on the PATH of this process, where what starts a server of its own looks for it.
 * @returns its redis-server
 */
export async function putRedisOnPath(): Promise<string> {
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const executable = await provideRedisBinary(STATE_DIRECTORY, { report });
  process.env['PATH'] = `${dirname(executable)}${delimiter}${process.env['PATH']}`;
  return executable;
}

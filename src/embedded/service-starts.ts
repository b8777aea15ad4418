import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { startInbox } from './inbox.js';
import { startPostgres } from './postgres.js';
import { provideRedisBinary } from './provide-redis.js';
import { startRedis } from './redis.js';
import type { UnpackOptions } from './redis-package.js';
import { prepareServiceHome } from './service-directory.js';
import type { ServiceStart } from './supervised-service.js';

export function postgresIn(stateDirectory: string): ServiceStart {
  const logFile = join(stateDirectory, 'postgres.log');
  return {
    ...{ name: 'PostgreSQL', logFile },
    start: async (signal, isRestart) => {
      if (isRestart) await requireData(join(stateDirectory, 'postgres', 'data'));
      const home = await prepareServiceHome(stateDirectory, 'postgres');
      const server = await startPostgres({ home, logFile, signal, keepsPort: isRestart });
      return { pid: server.pid, addresses: { databaseUrl: server.url }, stop: () => server.stop() };
    },
  };
}

/** @param report receives a line when Redis has to be downloaded */
export function redisIn(stateDirectory: string, report: UnpackOptions['report']): ServiceStart {
  const logFile = join(stateDirectory, 'redis.log');
  return {
    ...{ name: 'Redis', logFile },
    start: async (signal, isRestart) => {
      if (isRestart) await requireData(join(stateDirectory, 'redis', 'endpoint.json'));
      const executable = await provideRedisBinary(stateDirectory, { report, signal });
      const home = await prepareServiceHome(stateDirectory, 'redis');
      const server = await startRedis({ executable, home, logFile, signal, keepsPort: isRestart });
      return { pid: server.pid, addresses: { redisUrl: server.url }, stop: () => server.stop() };
    },
  };
}

export function inboxIn(stateDirectory: string): ServiceStart {
  const logFile = join(stateDirectory, 'inbox.log');
  return {
    ...{ name: 'The inbox', logFile },
    start: async (signal, isRestart) => {
      if (isRestart) await requireData(join(stateDirectory, 'inbox', 'endpoint.json'));
      const inbox = await startInbox(join(stateDirectory, 'inbox'), logFile, { keepsPorts: isRestart, signal });
      return {
        pid: inbox.pid,
        addresses: { smtpUrl: inbox.smtpUrl, inboxUrl: inbox.webUrl },
        returnBouncesTo: (port) => inbox.returnBouncesTo(port),
        stop: () => inbox.stop(),
      };
    },
  };
}

/**
 * A first start creates what is missing. A restart must not: a removed folder, or a lost disk, would be replaced by an
 * empty one.
 */
async function requireData(path: string): Promise<void> {
  await access(path).catch(() => {
    throw new EmbeddedServiceError(`${path} no longer exists`);
  });
}

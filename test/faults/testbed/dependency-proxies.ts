import { TcpProxy } from '../../support/tcp-proxy.js';
import type { DependencyProxies } from './service-process.js';

/** The URLs of the dependencies. */
export interface Dependencies {
  readonly redis: string;
  readonly postgres: string;
  readonly smtp: string;
  readonly sendGrid: string;
}

export async function startProxies(to: Dependencies): Promise<DependencyProxies> {
  const [redis, postgres, smtp, sendGrid] = await Promise.all(
    [to.redis, to.postgres, to.smtp, to.sendGrid].map((url) => TcpProxy.before(new URL(url))),
  );
  return { redis: redis!, postgres: postgres!, smtp: smtp!, sendGrid: sendGrid! };
}

/** The settings that lead a process through its proxies. */
export function settingsThrough(proxies: DependencyProxies, to: Dependencies): Record<string, string> {
  return {
    REDIS_URL: proxies.redis.through(to.redis),
    DATABASE_URL: proxies.postgres.through(to.postgres),
    SMTP_URL: proxies.smtp.through(to.smtp),
    SENDGRID_API_URL: proxies.sendGrid.through(to.sendGrid),
  };
}

export async function closeProxies(proxies: DependencyProxies): Promise<void> {
  await Promise.all(Object.values(proxies).map((proxy: TcpProxy) => proxy.goDown()));
}

export async function resetProxy(proxy: TcpProxy): Promise<void> {
  proxy.release();
  proxy.slowDown(0);
  await proxy.comeUp();
}

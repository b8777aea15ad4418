import { TcpProxy } from '../../support/tcp-proxy.js';
import type { Cables } from './service-process.js';

/** Where the dependencies are. */
export interface Dependencies {
  readonly redis: string;
  readonly postgres: string;
  readonly smtp: string;
  readonly sendGrid: string;
}

export async function layCables(to: Dependencies): Promise<Cables> {
  const [redis, postgres, smtp, sendGrid] = await Promise.all(
    [to.redis, to.postgres, to.smtp, to.sendGrid].map((url) => TcpProxy.before(new URL(url))),
  );
  return { redis: redis!, postgres: postgres!, smtp: smtp!, sendGrid: sendGrid! };
}

/** The settings that lead a process through its cables. */
export function settingsThrough(cables: Cables, to: Dependencies): Record<string, string> {
  return {
    REDIS_URL: cables.redis.through(to.redis),
    DATABASE_URL: cables.postgres.through(to.postgres),
    SMTP_URL: cables.smtp.through(to.smtp),
    SENDGRID_API_URL: cables.sendGrid.through(to.sendGrid),
  };
}

export async function removeCables(cables: Cables): Promise<void> {
  await Promise.all(Object.values(cables).map((cable: TcpProxy) => cable.goDown()));
}

export async function healCable(cable: TcpProxy): Promise<void> {
  cable.release();
  cable.slowDown(0);
  await cable.comeUp();
}

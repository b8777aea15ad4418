import { freePort } from '../embedded/free-port.js';
import type { Settings } from '../platform/config/settings.js';

const PORTS_TO_TRY = 10;

/**
 * Without a PORT setting, takes the next free port if another server uses the default one. Replaces 0, for any port, by
 * one that is free now: links contain it before the server listens.
 */
export async function choosePort(
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Settings> {
  if (settings.PORT === 0) return { ...settings, PORT: await freePort() };
  if (environment.PORT?.trim()) return settings;
  const candidates = Array.from({ length: PORTS_TO_TRY }, (_, index) => settings.PORT + index);
  return { ...settings, PORT: await freePort(...candidates) };
}

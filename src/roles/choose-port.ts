import { randomPorts } from '../embedded/free-port.js';
import { listenHost } from '../embedded/resolve-environment.js';
import type { Settings } from '../platform/config/settings.js';
import { HeldPort } from './held-port.js';

const PORTS_TO_TRY = 10;

interface ChosenPort {
  readonly settings: Settings;
  /** Unless PORT or BASE_URL says where this process is reached. */
  readonly heldPort?: HeldPort;
}

/**
 * Without a PORT setting, takes the next free port if another server uses the default one. Replaces 0, for any port, by
 * a free one: without BASE_URL, links contain it before the server listens.
 */
export async function choosePort(
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ChosenPort> {
  const isGiven = Boolean(environment.PORT?.trim());
  if (isGiven && (settings.PORT !== 0 || settings.BASE_URL !== undefined)) return { settings };
  const preferred = isGiven ? [] : Array.from({ length: PORTS_TO_TRY }, (_, index) => settings.PORT + index);
  const heldPort = await HeldPort.firstOf([...preferred, ...randomPorts()], listenHost(settings));
  return { settings: { ...settings, PORT: heldPort.port }, heldPort };
}

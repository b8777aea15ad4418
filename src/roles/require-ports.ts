import { createServer } from 'node:net';
import { portError, type ListenAddress } from '../platform/errors/port-error.js';
import type { RunSettings } from '../platform/config/settings.js';
import type { HeldPort } from './held-port.js';

/**
 * Checks the ports, except one that this process holds, before anything works: consumers start before the servers
 * listen, so a process that finds its port taken only then has begun deliveries by that time.
 * @throws OperatorError when a port is taken or not allowed
 */
export async function requirePorts(settings: RunSettings, heldPort?: HeldPort): Promise<void> {
  for (const address of addressesOf(settings)) {
    if (address.setting === 'PORT' && heldPort) continue;
    await listenBriefly(address).catch((error: unknown) => {
      throw portError(address, error);
    });
  }
}

/** Those whose port is given. */
function addressesOf(settings: RunSettings): ListenAddress[] {
  const { ROLES, HOST, PORT, OPERATOR_HOST, OPERATOR_PORT } = settings;
  const { BOUNCE_SMTP_HOST = HOST, BOUNCE_SMTP_PORT, SUBMISSION_HOST = HOST, SUBMISSION_PORT } = settings;
  const addresses = [
    { setting: 'PORT', host: HOST, port: PORT },
    { setting: 'OPERATOR_PORT', host: OPERATOR_HOST, port: OPERATOR_PORT ?? 0 },
  ];
  if (ROLES.includes('bounces'))
    addresses.push({ setting: 'BOUNCE_SMTP_PORT', host: BOUNCE_SMTP_HOST, port: BOUNCE_SMTP_PORT ?? 0 });
  if (ROLES.includes('smtp'))
    addresses.push({ setting: 'SUBMISSION_PORT', host: SUBMISSION_HOST, port: SUBMISSION_PORT ?? 0 });
  return addresses.filter(({ port }) => port !== 0);
}

async function listenBriefly({ host, port }: ListenAddress): Promise<void> {
  // Nothing serves a client that connects now: as before the start, it has to try again.
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  await new Promise((resolve) => server.close(resolve));
}

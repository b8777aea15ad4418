import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { readSettings } from '../../src/platform/config/settings.js';
import { choosePort } from '../../src/roles/choose-port.js';

const servers: (Server | undefined)[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server?.close();
});

async function chosen(environment: Record<string, string>): Promise<number> {
  const { settings, heldPort } = await choosePort(readSettings({ HOST: '127.0.0.1', ...environment }), environment);
  servers.push(heldPort);
  return settings.PORT;
}

/** Resolves with false if another server has the port. */
async function canTake(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  servers.push(server);
  return once(server, 'listening').then(
    () => true,
    () => false,
  );
}

describe('choosePort', () => {
  it('holds a free port for PORT=0, which links can then name', async () => {
    const port = await chosen({ PORT: '0' });
    expect(port).toBeGreaterThanOrEqual(1024);
    expect(await canTake(port)).toBe(false);
  });

  it('leaves PORT=0 to the system if links do not name it', async () => {
    expect(await chosen({ PORT: '0', BASE_URL: 'https://track.test' })).toBe(0);
  });

  it('keeps a port that is set, even if it is taken, and an empty one is not set', async () => {
    await canTake(3000); // or another program has it
    expect(await chosen({ PORT: '3000' })).toBe(3000);
    for (const PORT of ['', ' ']) {
      const port = await chosen({ PORT });
      expect(port).not.toBe(3000);
      expect(await canTake(port)).toBe(false);
    }
  });

  it('names HOST if this machine does not have that address', async () => {
    // Of a network for documentation (RFC 5737).
    await expect(chosen({ HOST: '192.0.2.1' })).rejects.toThrow(
      'Cannot listen on 192.0.2.1 (EADDRNOTAVAIL): set HOST to an address of this machine',
    );
  });
});

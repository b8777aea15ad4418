import { once } from 'node:events';
import { createServer } from 'node:net';
import { readSettings } from '../../src/platform/config/settings.js';
import { choosePort } from '../../src/roles/choose-port.js';

const chosen = async (environment: Record<string, string>): Promise<number> =>
  (await choosePort(readSettings(environment), environment)).PORT;

describe('choosePort', () => {
  it('takes a free port for PORT=0, which links can then name', async () => {
    expect(await chosen({ PORT: '0' })).toBeGreaterThanOrEqual(1024);
  });

  it('keeps a port that is set, even if it is taken, and an empty one is not set', async () => {
    const server = createServer().listen(3000, '127.0.0.1');
    await once(server, 'listening').catch(() => undefined); // another program has it
    try {
      expect(await chosen({ PORT: '3000' })).toBe(3000);
      for (const PORT of ['', ' ']) expect(await chosen({ PORT })).not.toBe(3000);
    } finally {
      server.close();
    }
  });
});

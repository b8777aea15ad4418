import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '../../../src/platform/config/settings.js';
import { resolveEnvironment } from '../../../src/embedded/resolve-environment.js';
import { inTemporaryDirectory } from '../../support/temporary-directory.js';

const addresses = { databaseUrl: 'postgres://127.0.0.1:1/m', redisUrl: 'redis://127.0.0.1:2' };

/** The address that a flusher listens on, in a folder whose embedded services run. */
async function listenAddress(environment: Record<string, string>): Promise<string> {
  return inTemporaryDirectory(async (directory) => {
    await mkdir(join(directory, '.mailbeacon'));
    await writeFile(join(directory, '.mailbeacon', 'services.json'), JSON.stringify([{ pid: process.pid, addresses }]));
    const settings = readSettings({ ROLES: 'flusher', ...environment });
    return (await resolveEnvironment(settings, directory, {})).settings.HOST;
  });
}

describe('the address a process listens on', () => {
  it('is this machine alone with the embedded Postgres, whose demonstration key is printed', async () => {
    expect(await listenAddress({})).toBe('127.0.0.1');
  });

  it('is every address with a Postgres of its own', async () => {
    expect(await listenAddress({ DATABASE_URL: 'postgres://db/m' })).toBe('0.0.0.0');
  });

  it('is HOST where that is set', async () => {
    expect(await listenAddress({ HOST: '0.0.0.0' })).toBe('0.0.0.0');
    expect(await listenAddress({ HOST: '::1', DATABASE_URL: 'postgres://db/m' })).toBe('::1');
  });
});

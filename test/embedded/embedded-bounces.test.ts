import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings, type RunSettings } from '../../src/platform/config/settings.js';
import { resolveEnvironment } from '../../src/embedded/resolve-environment.js';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { inTemporaryDirectory } from '../support/temporary-directory.js';

const own = { DATABASE_URL: 'postgres://db/m', REDIS_URL: 'redis://redis', ENCRYPTION_KEYS: newEncryptionKey('test') };

/** The settings of a start with only the inbox embedded. */
async function resolved(environment: Record<string, string>): Promise<RunSettings> {
  return inTemporaryDirectory(async (directory) => {
    const { settings, stop } = await resolveEnvironment(readSettings({ ...own, ...environment }), directory, {});
    await stop();
    return settings;
  });
}

describe('bounces with the embedded inbox', () => {
  it('arrive at a free port of this machine without any setting', async () => {
    expect(await resolved({})).toMatchObject({
      ROLES: ['api', 'tracking', 'worker', 'flusher', 'bounces', 'smtp'],
      BOUNCE_DOMAIN: 'bounces.mailbeacon.localhost',
      BOUNCE_SMTP_PORT: 0,
      BOUNCE_SMTP_HOST: '127.0.0.1',
    });
  });

  it('use existing settings', async () => {
    const settings = await resolved({ BOUNCE_DOMAIN: 'bounces.example.com', BOUNCE_SMTP_PORT: '2525' });
    expect(settings).toMatchObject({ BOUNCE_DOMAIN: 'bounces.example.com', BOUNCE_SMTP_PORT: 2525 });
    expect(settings.BOUNCE_SMTP_HOST).toBeUndefined();
    expect(await resolved({ BOUNCE_DOMAIN: 'bounces.example.com' })).toMatchObject({
      BOUNCE_DOMAIN: 'bounces.example.com',
      BOUNCE_SMTP_PORT: 0,
    });
  });

  it('are not set if another server delivers the mail', async () => {
    const elsewhere: Record<string, string>[] = [
      { SMTP_URL: 'smtp://mail.example:25' },
      { DELIVERY_PROVIDER: 'sendgrid', SENDGRID_API_KEY: 'SG.x' },
    ];
    for (const environment of elsewhere) {
      const settings = await resolved(environment);
      expect(settings.ROLES).not.toContain('bounces');
      expect([settings.BOUNCE_DOMAIN, settings.BOUNCE_SMTP_PORT]).toEqual([undefined, undefined]);
    }
  });

  it('name the same domain in a separate worker, which does not listen for bounces', async () => {
    await inTemporaryDirectory(async (directory) => {
      await mkdir(join(directory, '.mailbeacon'));
      const addresses = { smtpUrl: 'smtp://127.0.0.1:1' };
      const services = JSON.stringify([{ pid: process.pid, addresses }]);
      await writeFile(join(directory, '.mailbeacon', 'services.json'), services);
      const settings = readSettings({ ...own, ROLES: 'worker', BASE_URL: 'http://t' });
      expect((await resolveEnvironment(settings, directory, {})).settings).toMatchObject({
        ROLES: ['worker'],
        BOUNCE_DOMAIN: 'bounces.mailbeacon.localhost',
        BOUNCE_SMTP_PORT: undefined,
      });
    });
  });
});

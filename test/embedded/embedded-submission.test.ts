import { createServer } from 'node:net';
import { once } from 'node:events';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { readSettings, type RunSettings } from '../../src/platform/config/settings.js';
import { resolveEnvironment } from '../../src/embedded/resolve-environment.js';
import { makeThrowAwayDirectory } from '../support/throw-away-directory.js';

/** Other services exist, so that only the inbox starts. */
const own = {
  DATABASE_URL: 'postgres://localhost/none',
  REDIS_URL: 'redis://localhost',
  ENCRYPTION_KEYS: newEncryptionKey('own'),
};

async function resolved(environment: Record<string, string>): Promise<RunSettings> {
  const directory = await makeThrowAwayDirectory('mailbeacon-submission-');
  const { settings, stop } = await resolveEnvironment(readSettings({ ...own, ...environment }), directory, {});
  await stop();
  return settings;
}

describe('mail over SMTP with the embedded inbox', () => {
  it('is accepted at a port of this machine without any setting, at the next one if that is taken', async () => {
    const first = await resolved({});
    expect(first).toMatchObject({ SUBMISSION_HOST: '127.0.0.1', ROLES: expect.arrayContaining(['smtp']) });
    const other = createServer();
    await once(other.listen(first.SUBMISSION_PORT, '127.0.0.1'), 'listening');
    const second = await resolved({});
    expect(second.SUBMISSION_PORT).not.toBe(first.SUBMISSION_PORT);
    await new Promise((resolve) => other.close(resolve));
  });

  it('is accepted where the setting says', async () => {
    const settings = await resolved({ SUBMISSION_PORT: '0', HOST: '127.0.0.1' });
    expect(settings.SUBMISSION_PORT).toBe(0);
    expect(settings.SUBMISSION_HOST).toBeUndefined();
    expect(settings.ROLES.filter((role) => role === 'smtp')).toHaveLength(1);
  });

  it('is not accepted if another server delivers the mail', async () => {
    expect((await resolved({ SMTP_URL: 'smtp://mail.example:25' })).ROLES).not.toContain('smtp');
  });
});

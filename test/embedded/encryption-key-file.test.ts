import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEncryptionKeys, ensureEncryptionKeys } from '../../src/embedded/encryption-key-file.js';
import { readSettings } from '../../src/platform/config/settings.js';
import { resolveEnvironment } from '../../src/embedded/resolve-environment.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const file = () => join(directory, '.mailbeacon', 'encryption.keys');
const named = {
  DATABASE_URL: 'postgres://db/m',
  REDIS_URL: 'redis://redis',
  SMTP_URL: 'smtp://mail',
  BASE_URL: 'http://t',
};
const resolved = (environment: Record<string, string>) =>
  resolveEnvironment(readSettings({ ...named, ...environment }), directory, {});

describe("a folder's encryption keys", () => {
  it('are created once, readable only by the owner, however many processes start at the same time', async () => {
    expect(await findEncryptionKeys(directory)).toBeUndefined();
    const made = await Promise.all(Array.from({ length: 5 }, () => ensureEncryptionKeys(directory)));
    for (const keys of made) expect(keys).toEqual(made[0]);
    expect(await findEncryptionKeys(directory)).toEqual(made[0]);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  it('have another ID when they are made again, so that the lost ones can be used together with them', async () => {
    const [lost] = await ensureEncryptionKeys(directory);
    const kept = await readFile(file(), 'utf8');
    await rm(file());
    const [made] = await ensureEncryptionKeys(directory);
    expect(made.id).not.toBe(lost.id);
    await writeFile(file(), `${await readFile(file(), 'utf8').then((text) => text.trim())},${kept}`);
    expect(await findEncryptionKeys(directory)).toEqual([made, lost]);
  });

  it('are never replaced if they cannot be parsed', async () => {
    await ensureEncryptionKeys(directory);
    await chmod(file(), 0o600);
    await writeFile(file(), 'garbage');
    await expect(ensureEncryptionKeys(directory)).rejects.toThrow(/does not hold encryption keys/);
    expect(await readFile(file(), 'utf8')).toBe('garbage');
  });

  it('come from the setting or the folder, and are required where roles share them', async () => {
    await expect(resolved({ ROLES: 'worker' })).rejects.toThrow(/^ENCRYPTION_KEYS must be set/);
    expect((await resolved({ ROLES: 'tracking,flusher' })).settings.ENCRYPTION_KEYS).toBeUndefined();
    const alone = await resolved({});
    expect((await resolved({ ROLES: 'worker' })).settings.ENCRYPTION_KEYS).toEqual(alone.settings.ENCRYPTION_KEYS);
    const ENCRYPTION_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
    expect((await resolved({ ENCRYPTION_KEYS })).settings.ENCRYPTION_KEYS?.[0].id).toBe('k1');
  });
});

import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedServices } from '../../src/embedded/embedded-services.js';
import { runsAsRoot, unprivilegedAccount } from '../../src/embedded/unix-account.js';
import { inTemporaryDirectory } from '../support/temporary-directory.js';

const source = join(import.meta.dirname, '..', '..', 'src');
const none = { postgres: false, redis: false, inbox: false };

/** Starts the services of a folder as an ordinary user, and returns why that failed. */
async function failureOfUser(directory: string): Promise<string> {
  const { uid, gid } = unprivilegedAccount();
  // The modules are loaded as root: the user may have no access to this checkout.
  const program = `
    import { startEmbeddedServices } from ${JSON.stringify(join(source, 'embedded', 'embedded-services.ts'))};
    process.setegid(${gid});
    process.seteuid(${uid});
    await startEmbeddedServices(${JSON.stringify(none)}, ${JSON.stringify(directory)}).then(
      () => console.log('started'),
      ({ name, message }) => console.log(name + ': ' + message),
    );`;
  const loader = ['--import', './test/support/register-typescript.mjs'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...loader, '--input-type=module', '--eval', program],
    { timeout: 60_000 },
  );
  return stdout.trim();
}

(runsAsRoot() ? describe : describe.skip)('an ordinary user', () => {
  it('is told that root runs the services of their folder, instead of waiting for a lock that only root can read', async () => {
    await inTemporaryDirectory(async (directory) => {
      const { uid, gid } = unprivilegedAccount();
      const state = join(directory, '.mailbeacon');
      await mkdir(state);
      await chown(state, uid, gid);
      const services = await startEmbeddedServices(none, directory);
      expect(await failureOfUser(directory)).toBe(
        `EmbeddedServiceError: ${join(state, 'lock')} cannot be read (EACCES): start as the user it belongs to`,
      );
      await services.stop();
      expect(await failureOfUser(directory)).toBe('started');
    });
  });

  it('is told in one line that they may not write into the folder', async () => {
    await inTemporaryDirectory(async (directory) => {
      await chmod(directory, 0o755);
      const state = join(directory, '.mailbeacon');
      expect(await failureOfUser(directory)).toBe(
        `EmbeddedServiceError: ${state} cannot be made (EACCES): start in a folder that you may write to`,
      );
    });
  });
});

it('a folder whose name a file has is named in one line', async () => {
  await inTemporaryDirectory(async (directory) => {
    await writeFile(join(directory, '.mailbeacon'), '');
    await expect(startEmbeddedServices(none, directory)).rejects.toThrow(
      /^\S+.*\.mailbeacon cannot be made \(EEXIST\)/,
    );
  });
});

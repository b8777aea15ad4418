import { runsAsRoot } from './unix-account.js';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { isOnPath } from './program-search.js';
import { findRedisBinary } from './redis-binary.js';
import { canUnpackRedis, unpackRedis, type UnpackOptions } from './redis-package.js';

/** Commands that install Redis or Valkey, by package manager. */
const installCommands: Readonly<Record<string, string>> = {
  'apt-get': 'sudo apt-get install -y redis-server',
  apk: 'doas apk add redis',
  dnf: 'sudo dnf install -y valkey',
  brew: 'brew install redis',
  pacman: 'sudo pacman -S valkey',
  zypper: 'sudo zypper install redis',
};

/**
 * Returns the first redis-server or valkey-server on the PATH. If there is none, downloads Debian's package and unpacks
 * it below `stateDirectory`, without installing anything on the system.
 * @throws EmbeddedServiceError with an install command on one line, if there is none and the download fails
 * @throws the signal's reason when it aborts the download, which leaves no files behind
 */
export async function provideRedisBinary(stateDirectory: string, options: UnpackOptions = {}): Promise<string> {
  const present = findRedisBinary();
  if (present !== undefined) return present;
  if (!canUnpackRedis()) throw missing();
  try {
    return await unpackRedis(stateDirectory, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw missing((error as Error).message);
  }
}

function missing(reason?: string): EmbeddedServiceError {
  const manager = Object.keys(installCommands).find(isOnPath);
  const command = manager && installCommands[manager];
  const remedy = command ? `run: ${withoutSudo(command)}` : 'install Redis or Valkey 6.2 or newer';
  const cause = reason === undefined ? '' : ` and could not be downloaded (${reason})`;
  return new EmbeddedServiceError(`Redis is missing${cause}: ${remedy}   (or set REDIS_URL)`);
}

const withoutSudo = (command: string): string => (runsAsRoot() ? command.replace(/^(sudo|doas) /, '') : command);

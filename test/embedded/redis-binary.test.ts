import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findRedisBinary } from '../../src/embedded/redis-binary.js';
import { inTemporaryDirectory } from '../support/temporary-directory.js';

/** Creates a program that prints the output of a server of this version. */
async function install(directory: string, name: string, versionLine: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, name);
  await writeFile(file, `#!/bin/sh\necho '${versionLine}'\n`);
  await chmod(file, 0o755);
  return file;
}

describe('findRedisBinary', () => {
  it.each([
    ['redis-server', 'Redis server v=6.2.0 sha=00000000:0 malloc=jemalloc-5.1.0 bits=64 build=1'],
    ['redis-server', 'Redis server v=10.0.1 sha=00000000:0 malloc=libc bits=64 build=1'],
    ['valkey-server', 'Valkey server v=8.1.1 sha=00000000:0 malloc=libc bits=64 build=1'],
  ])('finds %s: %s', async (name, line) => {
    await inTemporaryDirectory(async (directory) => {
      const file = await install(directory, name, line);
      expect(findRedisBinary(`/nowhere:${directory}`)).toBe(file);
    });
  });

  it('skips one that is too old', async () => {
    await inTemporaryDirectory(async (directory) => {
      await install(join(directory, 'old'), 'redis-server', 'Redis server v=6.0.16 sha=0 malloc=libc bits=64');
      const file = await install(join(directory, 'new'), 'redis-server', 'Redis server v=7.0.15 sha=0 malloc=libc');
      expect(findRedisBinary(join(directory, 'old'))).toBeUndefined();
      expect(findRedisBinary(`${join(directory, 'old')}:${join(directory, 'new')}`)).toBe(file);
    });
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { provideRedisBinary } from '../../src/embedded/provide-redis.js';
import { eventually } from '../support/eventually.js';
import { makeAptConfiguration, makePackageSource } from '../support/package-source.js';
import { inTemporaryDirectory } from '../support/temporary-directory.js';

/** The programs that unpacking needs, without Redis. */
const PROGRAMS = ['apt-get', 'dpkg', 'dpkg-deb', 'sh', 'mkdir', 'rm', 'chmod', 'chown', 'dirname', 'tar'];
const VERSION_LINE = 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=1';

const onDebian = ['apt-get', 'dpkg-deb'].every((program) => spawnSync(program, ['--version']).status === 0);
const itOnDebian = onDebian ? it : it.skip;

const { PATH, APT_CONFIG } = process.env;
afterEach(() => {
  process.env['PATH'] = PATH;
  if (APT_CONFIG === undefined) delete process.env['APT_CONFIG'];
  else process.env['APT_CONFIG'] = APT_CONFIG;
});

/** Hides all other programs of the machine from the code under test. */
async function leaveOnThePath(directory: string, programs: readonly string[]): Promise<void> {
  const folder = join(directory, 'programs');
  await mkdir(folder);
  for (const program of programs) {
    const file = execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
    await symlink(file, join(folder, program));
  }
  process.env['PATH'] = folder;
}

describe('provideRedisBinary', () => {
  it('prints a remedy when there is neither a server nor a package manager', async () => {
    await inTemporaryDirectory(async (directory) => {
      await leaveOnThePath(directory, []);
      const state = join(directory, 'state');
      await expect(provideRedisBinary(state)).rejects.toThrow(
        'Redis is missing: install Redis or Valkey 6.2 or newer   (or set REDIS_URL)',
      );
      await expect(stat(state)).rejects.toThrow('ENOENT');
    });
  });

  itOnDebian('unpacks Redis and the libraries that it needs into its folder, and installs nothing', async () => {
    await inTemporaryDirectory(async (directory) => {
      const source = join(directory, 'source');
      await makePackageSource(source, [
        { name: 'redis-server', depends: 'redis-tools', links: { 'usr/bin/redis-server': 'redis-check-rdb' } },
        {
          name: 'redis-tools',
          depends: 'mailbeacon-test-library',
          files: {
            'usr/bin/redis-check-rdb': `#!/bin/sh\ncat "\${LD_LIBRARY_PATH%%:*}/mailbeacon-test" && echo '${VERSION_LINE}'\n`,
          },
        },
        {
          name: 'mailbeacon-test-library',
          files: { 'usr/lib/x86_64-linux-gnu/mailbeacon-test': 'library\n' },
        },
      ]);
      process.env['APT_CONFIG'] = await makeAptConfiguration(directory, `file:${encodeURI(source)}`);
      await leaveOnThePath(directory, [...PROGRAMS, 'cat']);
      const before = await stateOfSystem();
      const lines: string[] = [];
      const state = join(directory, 'state');
      const binary = await provideRedisBinary(state, { report: (line) => lines.push(line) });
      expect(execFileSync(binary, ['--version'], { encoding: 'utf8' })).toBe(`library\n${VERSION_LINE}\n`);
      expect(lines).toEqual([expect.stringContaining('nothing is installed')]);
      expect(await readdir(state)).toEqual(['redis-package']);
      expect((await readdir(join(state, 'redis-package'))).sort()).toEqual(['bin', 'root']);
      expect(await stateOfSystem()).toEqual(before);

      delete process.env['APT_CONFIG'];
      expect(await provideRedisBinary(state, { report: (line) => lines.push(line) })).toBe(binary);
      expect(lines).toHaveLength(1);
    });
  });

  itOnDebian(
    'lets two processes that start at the same time finish, and removes what an ended one left behind',
    async () => {
      await inTemporaryDirectory(async (directory) => {
        const source = join(directory, 'source');
        await makePackageSource(source, [
          { name: 'redis-server', files: { 'usr/bin/redis-server': `#!/bin/sh\necho '${VERSION_LINE}'\n` } },
          { name: 'redis-tools' },
        ]);
        process.env['APT_CONFIG'] = await makeAptConfiguration(directory, `file:${encodeURI(source)}`);
        await leaveOnThePath(directory, PROGRAMS);
        const state = join(directory, 'state');
        const ended = spawnSync(process.execPath, ['--version']).pid;
        await mkdir(join(state, `redis-package-unfinished-${ended}-a`, 'apt'), { recursive: true });
        const first = provideRedisBinary(state);
        // The first has started once it has removed the leftovers and created its own folder.
        await eventually(async () => {
          const names = await readdir(state);
          return names.length === 1 && !names[0]!.includes(`-${ended}-`);
        });
        const [one, other] = await Promise.all([first, provideRedisBinary(state)]);
        expect(one).toBe(other);
        expect(execFileSync(one, ['--version'], { encoding: 'utf8' })).toBe(`${VERSION_LINE}\n`);
        expect(await readdir(state)).toEqual(['redis-package']);
      });
    },
  );

  itOnDebian('names the one command when the packages cannot be downloaded, and leaves nothing', async () => {
    await inTemporaryDirectory(async (directory) => {
      process.env['APT_CONFIG'] = await makeAptConfiguration(directory, `file:${encodeURI(directory)}/nowhere`);
      await leaveOnThePath(directory, PROGRAMS);
      const state = join(directory, 'state');
      await expect(provideRedisBinary(state)).rejects.toThrow(
        /^Redis is missing and could not be downloaded \(.+\): run: (sudo )?apt-get install -y redis-server {3}\(or set REDIS_URL\)$/,
      );
      expect(await readdir(state)).toEqual([]);
    });
  });

  itOnDebian('ends the download when it is interrupted, and leaves nothing', async () => {
    await inTemporaryDirectory(async (directory) => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      process.env['APT_CONFIG'] = await makeAptConfiguration(directory, `http://127.0.0.1:${port}`);
      await leaveOnThePath(directory, PROGRAMS);
      const interruption = new AbortController();
      const state = join(directory, 'state');
      const outcome = provideRedisBinary(state, { signal: interruption.signal }).catch((error: unknown) => error);
      const [connection] = (await once(silent, 'connection')) as [import('node:net').Socket];
      connection.on('error', () => undefined).resume();
      interruption.abort(new Error('interrupted'));
      expect(await outcome).toEqual(new Error('interrupted'));
      expect(await readdir(state)).toEqual([]);
      if (!connection.closed) await once(connection, 'close'); // apt and its children have ended
      silent.close();
    });
  });
});

/** When packages were last installed, and package lists last read. */
async function stateOfSystem(): Promise<number[]> {
  const files = ['/var/lib/dpkg/status', '/var/lib/apt/lists', '/var/cache/apt/archives'];
  return Promise.all(files.map(async (file) => (await stat(file)).mtimeMs));
}

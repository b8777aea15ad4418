import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { npm, project } from '../../scripts/prepare.mjs';

const run = promisify(execFile);
const SOURCE = join(project, 'packages', 'client');
const PACKAGE = '{ "private": true, "type": "module" }';

/**
 * Makes a project and installs the client library from `npm pack`, without network access.
 * @returns its folder, which the caller deletes
 */
export async function projectWithClient(): Promise<string> {
  const tarball = await packedClient();
  const folder = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  await writeFile(join(folder, 'package.json'), PACKAGE);
  await runNpm(['install', tarball, '--offline', '--no-audit', '--no-fund'], folder);
  return folder;
}

/**
 * Like `projectWithClient`, without the two seconds that npm takes, for tests of how the client is used: the client has
 * no dependencies.
 * @returns its folder, which the caller deletes
 */
export async function projectWithUnpackedClient(): Promise<string> {
  const tarball = await packedClient();
  const folder = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  const target = join(folder, 'node_modules', 'mailbeacon');
  await mkdir(target, { recursive: true });
  await run('tar', ['-xf', tarball, '--strip-components=1', '-C', target]);
  await writeFile(join(folder, 'package.json'), PACKAGE);
  return folder;
}

/** The archive that `npm pack` makes of the current sources. It is cached because making it takes seconds. */
export async function packedClient(): Promise<string> {
  const kept = join(project, '.mailbeacon', `client-${await fingerprint()}.tgz`);
  if (!existsSync(kept)) await pack(kept);
  return kept;
}

/** Packs a copy, because another test may pack at the same time. */
async function pack(target: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  try {
    const [copy, packed] = [join(folder, 'client'), join(folder, 'packed')];
    await cp(SOURCE, copy, { recursive: true, filter: (file) => !file.startsWith(join(SOURCE, 'dist')) });
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    await mkdir(packed);
    await runNpm(['pack', '--pack-destination', packed], copy);
    const [tarball] = await readdir(packed);
    await mkdir(join(target, '..'), { recursive: true });
    // A rename fails across file systems.
    await cp(join(packed, tarball!), `${target}.${process.pid}`);
    await rename(`${target}.${process.pid}`, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  const files = (await readdir(SOURCE, { recursive: true })).filter((file) => /^[\w-]+\.\w+$|^src.*\.ts$/.test(file));
  for (const file of [...files, 'LICENSE'].sort()) hash.update(`${file}\0`).update(await readFile(join(SOURCE, file)));
  return hash.digest('hex').slice(0, 16);
}

async function runNpm(parameters: string[], cwd: string): Promise<void> {
  const [program, ...all] = npm([...parameters, '--loglevel=error']) as [string, ...string[]];
  await run(program, all, { cwd, env: { ...process.env, NODE_OPTIONS: '' } });
}

import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A Debian package built by a test. */
export interface TestPackage {
  readonly name: string;
  readonly depends?: string;
  /** Content by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Target by path. */
  readonly links?: Readonly<Record<string, string>>;
}

/** Newer than any version that the machine has installed. */
const VERSION = '99:1';

/** Makes a package repository that apt can read. */
export async function makePackageSource(directory: string, packages: readonly TestPackage[]): Promise<void> {
  const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
  const entries: string[] = [];
  for (const { name, depends, files = {}, links = {} } of packages) {
    const root = join(directory, name);
    const control = [`Package: ${name}`, `Version: ${VERSION}`, `Architecture: ${architecture}`];
    if (depends !== undefined) control.push(`Depends: ${depends}`);
    control.push('Maintainer: Test <test@example.com>', 'Description: made by a test', '');
    await writeInside(root, 'DEBIAN/control', control.join('\n'));
    for (const [path, content] of Object.entries(files)) await writeInside(root, path, content);
    for (const [path, target] of Object.entries(links)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await symlink(target, join(root, path));
    }
    execFileSync('dpkg-deb', ['--build', root, join(directory, `${name}.deb`)], { stdio: 'ignore' });
    const bytes = await readFile(join(directory, `${name}.deb`));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    entries.push(
      [...control.slice(0, -1), `Filename: ./${name}.deb`, `Size: ${bytes.length}`, `SHA256: ${sha256}`].join('\n'),
    );
  }
  await writeFile(join(directory, 'Packages'), `${entries.join('\n\n')}\n`);
  execFileSync('chmod', ['-R', 'a+rX', directory]);
}

async function writeInside(root: string, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
  await chmod(join(root, path), 0o755);
}

/** Writes an apt configuration with one source only. Returns its path, for APT_CONFIG. */
export async function makeAptConfiguration(directory: string, address: string): Promise<string> {
  const sources = join(directory, 'sources.list');
  await writeFile(sources, `deb [trusted=yes] ${address} ./\n`);
  const file = join(directory, 'test-apt.conf');
  await writeFile(file, `Dir::Etc::sourcelist "${sources}";\nDir::Etc::sourceparts "/dev/null";\n`);
  execFileSync('chmod', ['a+r', sources, file]);
  return file;
}

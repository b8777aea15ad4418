import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { transformFile, transform } from '@swc/core';

/** A change of one source file: `search` must be in it exactly once. */
export interface Patch {
  /** Below src/. */
  readonly file: string;
  readonly search: string;
  readonly replace: string;
}

/**
 * The build bundles these programs. Here each module is loaded separately, so that it can be patched.
 */
const PROGRAMS = ['roles/main.ts', 'rendering/rendering-thread.ts'];

/** A private copy of the build in which modules are replaced. The work tree remains unchanged. */
export class PatchedBuild {
  private constructor(private readonly directory: string) {}

  static async copy(): Promise<PatchedBuild> {
    const directory = await mkdtemp(join(tmpdir(), 'mailbeacon-patched-'));
    await cp('dist', join(directory, 'dist'), { recursive: true });
    await cp('package.json', join(directory, 'package.json'));
    await symlink(resolve('node_modules'), join(directory, 'node_modules'));
    const build = new PatchedBuild(directory);
    for (const file of PROGRAMS) await build.compile(file);
    return build;
  }

  /** The command that starts a process of this build. */
  get program(): readonly string[] {
    return [process.execPath, join(this.directory, 'dist/roles/main.js')];
  }

  /** @throws Error when a patch no longer fits its source */
  async apply(patches: readonly Patch[]): Promise<void> {
    for (const [file, code] of await patchedSources(patches)) {
      const source = join('src', file);
      const { code: compiled } = await transform(code, { filename: source, swcrc: true });
      await writeFile(this.compiledOf(file), compiled);
    }
  }

  /** Restores the unpatched modules. */
  async revert(patches: readonly Patch[]): Promise<void> {
    for (const { file } of patches) await this.compile(file);
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  private async compile(file: string): Promise<void> {
    const { code } = await transformFile(join('src', file), { swcrc: true });
    await writeFile(this.compiledOf(file), code);
  }

  private compiledOf(file: string): string {
    return join(this.directory, 'dist', file.replace(/\.ts$/, '.js'));
  }
}

/** The text of every patched file. @throws Error when a patch does not fit */
export async function patchedSources(patches: readonly Patch[]): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>();
  for (const { file, search, replace } of patches) {
    const source = sources.get(file) ?? (await readFile(join('src', file), 'utf8'));
    const places = source.split(search).length - 1;
    if (places !== 1) throw new Error(`src/${file} has ${places} places like this, not one: ${search}`);
    // `String.replace` would interpret dollar signs.
    sources.set(file, source.split(search).join(replace));
  }
  return sources;
}

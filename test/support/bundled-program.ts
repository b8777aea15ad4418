import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { forNode } from '../../scripts/bundling.mjs';
import { project } from '../../scripts/prepare.mjs';

/** A test program bundled into one file, as the build bundles the programs of the product. */
export interface BundledProgram {
  readonly file: string;
  remove(): Promise<void>;
}

/**
 * Bundles a program that runs in a process of its own. Compiling each module at load time would make its start cost
 * four times the processor time.
 * @param source its TypeScript file, which imports modules of `src/`
 */
export async function bundledProgram(source: string): Promise<BundledProgram> {
  const file = join(project, '.mailbeacon', 'test-programs', `${basename(source, '.ts')}-${process.pid}.mjs`);
  await build({
    ...forNode,
    plugins: [compiledModules, ...forNode.plugins],
    absWorkingDir: project,
    entryPoints: [source],
    outfile: file,
    logLevel: 'error',
  });
  return { file, remove: () => rm(file, { force: true }) };
}

/** Resolves product modules to `dist/`: their decorators need metadata that only the compiler of the build emits. */
const compiledModules: Plugin = {
  name: 'compiled-modules',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\/src\// }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path).replace(join(project, 'src'), join(project, 'dist')),
    }));
  },
};

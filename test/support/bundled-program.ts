import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { forNode } from '../../scripts/bundling.mjs';
import { project } from '../../scripts/prepare.mjs';

/** A program of a test in one file, as the build makes programs of ours. */
export interface BundledProgram {
  readonly file: string;
  remove(): Promise<void>;
}

/**
 * Bundles a program for a process of its own: one that compiles each module as it loads it takes four times the
 * processor time of its start.
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

/** Takes our modules from `dist/`: their decorators need what only the compiler of the build adds. */
const compiledModules: Plugin = {
  name: 'compiled-modules',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\/src\// }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path).replace(join(project, 'src'), join(project, 'dist')),
    }));
  },
};

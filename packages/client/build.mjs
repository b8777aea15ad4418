import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// Compiles src/ twice, as ES modules and as CommonJS, each with its types. `npm pack` runs this.
const folder = import.meta.dirname;
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
rmSync(join(folder, 'dist'), { recursive: true, force: true });
for (const [format, module] of [
  ['esm', 'ESNext'],
  ['cjs', 'CommonJS'],
]) {
  const parameters = ['-p', folder, '--module', module, '--outDir', join(folder, 'dist', format)];
  execFileSync(process.execPath, [compiler, ...parameters], { stdio: 'inherit' });
}
// Without this, Node would treat the .js files as ES modules, because the package declares that type.
writeFileSync(join(folder, 'dist', 'cjs', 'package.json'), '{ "type": "commonjs" }\n');

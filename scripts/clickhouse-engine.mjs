import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { downloadTo } from './download-to.mjs';
import { npm, project } from './prepare.mjs';

const VERSION = '3.4.0';
const FOLDER = join(project, '.mailbeacon', 'clickhouse', VERSION);

/**
 * The folder of the package `chdb`, the engine of ClickHouse as a library, downloaded by npm at the first call. It is
 * not a development dependency, because it has half a gigabyte. @throws Error if there is no build for this machine, or
 * no registry
 */
export function clickhouseEngine() {
  const folder = join(FOLDER, 'node_modules', 'chdb');
  if (!existsSync(folder)) downloadTo(FOLDER, install);
  return folder;
}

function install(download) {
  writeFileSync(join(download, 'package.json'), '{"private":true}\n');
  const options = ['--prefix', download, '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const [program, ...parameters] = npm(['install', '--silent', ...options, `chdb@${VERSION}`]);
  execFileSync(program, parameters, { cwd: download, stdio: 'ignore' });
  const build = `lib-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`;
  if (!existsSync(join(download, 'node_modules', '@chdb', build))) throw new Error(`There is no build ${build}`);
}

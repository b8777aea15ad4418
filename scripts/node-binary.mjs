import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { downloadTo } from './download-to.mjs';
import { npm, project } from './prepare.mjs';

/** The folder for Node binaries of the registry, by version; the system's Node is not changed. */
const FOLDER = join(project, '.mailbeacon', 'node');

/**
 * The path of a Node binary, downloaded by npm at the first call.
 * @param {string} version such as 24 (its newest release) or 24.21.0
 */
export function nodeBinary(version) {
  if (!/^\d+(\.\d+\.\d+)?$/.test(version)) throw new Error(`Not a version of Node: ${version}. Example: 24 or 24.21.0`);
  const folder = join(FOLDER, version);
  const binary = join(folder, 'package', 'bin', 'node');
  if (!existsSync(binary)) downloadTo(folder, (download) => unpack(version, download));
  return binary;
}

function unpack(version, download) {
  const name = `node-${process.platform}-${process.arch}@${version}`;
  const [program, ...parameters] = npm(['pack', '--silent', '--pack-destination', download, name]);
  const archive = execFileSync(program, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const files = ['package/bin/node', 'package/package.json'];
  execFileSync('tar', ['-xzf', join(download, archive), '-C', download, ...files]);
  rmSync(join(download, archive));
}

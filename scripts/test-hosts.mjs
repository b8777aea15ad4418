import { execFileSync, spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import process from 'node:process';
import { prepare, prepareRedis } from './prepare.mjs';

// npm run test:hosts: runs every role on separate hosts, as network namespaces. They live inside one namespace created
// for this run, so that the machine's own network is never touched.
const obstacle = findObstacle();
if (obstacle) {
  console.log(`Skipped: ${obstacle}`);
} else {
  await prepare();
  // The hosts reach nothing outside, so they could not download it. They search the PATH.
  process.env.PATH = `${dirname(await prepareRedis())}${delimiter}${process.env.PATH}`;
  process.exitCode = runInside(`mailbeacon-${process.pid}`);
}

function findObstacle() {
  if (process.platform !== 'linux') return 'hosts are network namespaces, which only Linux has';
  if (process.getuid() !== 0) return 'only root may create network namespaces';
  const probe = `mailbeacon-probe-${process.pid}`;
  try {
    execFileSync('ip', ['netns', 'add', probe], { stdio: 'ignore' });
    execFileSync('ip', ['netns', 'delete', probe], { stdio: 'ignore' });
  } catch (error) {
    return error.code === 'ENOENT'
      ? 'ip is missing (package iproute2)'
      : 'this machine does not allow network namespaces';
  }
  return undefined;
}

function runInside(namespace) {
  execFileSync('ip', ['netns', 'add', namespace]);
  try {
    const program = ['--import', './test/support/register-typescript.mjs', 'test/hosts/main.ts'];
    return (
      spawnSync('ip', ['netns', 'exec', namespace, process.execPath, ...program], { stdio: 'inherit' }).status ?? 1
    );
  } finally {
    execFileSync('ip', ['netns', 'delete', namespace]);
  }
}

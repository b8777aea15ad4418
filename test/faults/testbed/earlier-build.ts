import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BUILD_TIMEOUT_MS = 180_000;

/** The service at an earlier revision, built in a separate folder with today's dependencies. */
export class EarlierBuild {
  private constructor(
    private readonly directory: string,
    /** The abbreviated hash of its commit. */
    readonly revision: string,
  ) {}

  static missingRequirement(): string | undefined {
    return existsSync('.git') ? undefined : 'there is no git repository';
  }

  /** @param revision as git names it; without it, the latest one whose sources differ from today's */
  static async create(revision?: string): Promise<EarlierBuild> {
    const commit = (await git('rev-parse', '--short', revision ?? (await lastWithOtherSources()))).trim();
    const build = new EarlierBuild(await mkdtemp(join(tmpdir(), 'mailbeacon-build-')), commit);
    try {
      await run('/bin/sh', ['-c', `git archive ${commit} | tar -x -C "$0"`, build.directory]);
      await symlink(resolve('node_modules'), join(build.directory, 'node_modules'));
      await run(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build'], {
        cwd: build.directory,
        timeout: BUILD_TIMEOUT_MS,
      });
      return build;
    } catch (error) {
      await build.remove();
      throw error;
    }
  }

  /** The command that starts a process of this build. */
  get program(): readonly string[] {
    return [process.execPath, join(this.directory, 'dist/roles/main.js')];
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function lastWithOtherSources(): Promise<string> {
  const [latest = 'HEAD'] = (await git('log', '-1', '--format=%H', '--', 'src')).split('\n');
  return `${latest}^`;
}

async function git(...parameters: string[]): Promise<string> {
  const { stdout } = await run('git', parameters);
  return stdout;
}

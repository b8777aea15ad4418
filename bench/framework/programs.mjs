import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { fetch } from 'undici';

const READY_DEADLINE_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;

/** A contestant in a separate process. Its output is shown only when it fails. */
export class Program {
  #child;
  #output = '';
  #printed = '';

  /**
   * @param {string[]} parameters of node: options, the script, its parameters
   * @param cwd its working directory
   */
  constructor(parameters, environment = {}, cwd = undefined) {
    const { PATH = '', HOME = '' } = process.env;
    this.#child = spawn(process.execPath, parameters, {
      cwd,
      env: { PATH, HOME, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout.on('data', (chunk) => (this.#printed += chunk));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', (chunk) => (this.#output = `${this.#output}${chunk}`.slice(-20_000)));
    }
  }

  get pid() {
    return this.#child.pid;
  }

  /** The end of its output, including errors. */
  get output() {
    return this.#output;
  }

  /** Its standard output, without messages on standard error. */
  get printed() {
    return this.#printed;
  }

  /** Resolves when the address responds with a status below 400. */
  async responds(address, everyMs = 25, withinMs = READY_DEADLINE_MS) {
    for (const deadline = Date.now() + withinMs; Date.now() < deadline; await setTimeout(everyMs)) {
      this.#mustRun();
      const response = await fetch(address, { redirect: 'manual' }).catch(() => undefined);
      await response?.arrayBuffer();
      if (response && response.status < 400) return;
    }
    throw new Error(`No response from ${address}\n${this.#output}`);
  }

  /** Resolves when the output of the program matches. */
  async prints(pattern) {
    for (const deadline = Date.now() + READY_DEADLINE_MS; Date.now() < deadline; await setTimeout(10)) {
      if (pattern.test(this.#output)) return;
      this.#mustRun();
    }
    throw new Error(`It did not print ${pattern}\n${this.#output}`);
  }

  /** Resolves when it has ended by itself. */
  async exits() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
    if (this.#child.exitCode !== 0) throw new Error(`It ended with ${this.#child.exitCode}\n${this.#output}`);
  }

  async stop() {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const late = setTimeout(STOP_TIMEOUT_MS, undefined, { ref: false }).then(() => this.#child.kill('SIGKILL'));
    await Promise.race([ended, late]);
    await ended;
  }

  #mustRun() {
    if (this.#child.exitCode !== null) throw new Error(`It ended with ${this.#child.exitCode}\n${this.#output}`);
  }
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

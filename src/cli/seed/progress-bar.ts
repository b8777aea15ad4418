import { performance } from 'node:perf_hooks';

const WIDTH = 30;

/** Writes one line per step: redrawn in a terminal, otherwise written once at the end of the step. */
export class ProgressBar {
  private startedAt = performance.now();

  constructor(private readonly stream: NodeJS.WriteStream) {}

  /** @param done number done of `total`; the step ends when both are equal */
  show(step: string, done: number, total: number): void {
    const ended = done >= total;
    if (!this.stream.isTTY && !ended) return;
    const filled = Math.round((done / total) * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    const count = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
    const seconds = ((performance.now() - this.startedAt) / 1000).toFixed(0);
    this.stream.write(`${this.stream.isTTY ? '\r' : ''}${step.padEnd(16)} ${bar} ${count}, ${seconds} s`);
    if (!ended) return;
    this.stream.write('\n');
    this.startedAt = performance.now(); // for the next step
  }
}

import { write, writeSync } from 'node:fs';

/** How many characters may wait while the reader of the log is slow. Further lines are lost. */
const MAX_WAITING = 1_000_000;
const RETRY_MS = 100;
/** How often the end of the process tries to write the last lines while the reader of the log is slow. */
const LAST_TRIES = 10;
const NOTHING = Buffer.alloc(0);

/**
 * Writes lines to a file in the background. Lines that cannot be written, because the disk is full or the reader is
 * gone, are lost, and the process continues. Pino's own output ends the process then, and before that repeats the write
 * until the disk has space again: the process neither serves nor ends.
 */
export class LogOutput {
  private waiting = '';
  private current: Buffer = NOTHING;
  /** Waits for the reader, who had no room for `current`. */
  private retry: NodeJS.Timeout | undefined;

  /** @param descriptor of the open file */
  constructor(private readonly descriptor: number) {
    process.on('exit', () => this.writeLast());
  }

  write(line: string): void {
    if (this.waiting.length + line.length > MAX_WAITING) return;
    this.waiting += line;
    if (!this.isWriting) this.writeNext();
  }

  private get isWriting(): boolean {
    return this.current.length > 0;
  }

  private writeNext(): void {
    this.current = Buffer.from(this.waiting);
    this.waiting = '';
    if (this.isWriting) this.writeCurrent(false);
  }

  /** @param hasBegun true if a part of it is written */
  private writeCurrent(hasBegun: boolean): void {
    write(this.descriptor, this.current, (error, written) => {
      if (error && isBusy(error)) return this.retryLater();
      // The next line does not continue one that broke off.
      if (error && hasBegun) this.waiting = `\n${this.waiting}`;
      this.current = error ? NOTHING : this.current.subarray(written);
      if (this.isWriting) this.writeCurrent(true);
      else this.writeNext();
    });
  }

  /** Retries without a thread, whose result the end of the process could not wait for. A busy file never blocks. */
  private retryLater(): void {
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.current = this.writeNow(this.current);
      if (this.isWriting) this.retryLater();
      else this.writeNext();
    }, RETRY_MS);
  }

  /** Returns what a busy file did not take; nothing if the file takes no more at all. */
  private writeNow(bytes: Buffer): Buffer {
    let rest = bytes;
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.descriptor, rest));
      return rest;
    } catch (error) {
      return isBusy(error as NodeJS.ErrnoException) ? rest : NOTHING;
    }
  }

  /** All lines but those that a thread is writing, which it completes although its result is not read any more. */
  private writeLast(): void {
    if (this.isWriting && !this.retry) block(RETRY_MS);
    let rest = this.writeNow(Buffer.concat([this.retry ? this.current : NOTHING, Buffer.from(this.waiting)]));
    this.waiting = '';
    for (let tries = 0; rest.length > 0 && tries < LAST_TRIES; tries += 1) {
      block(RETRY_MS);
      rest = this.writeNow(rest);
    }
  }
}

function isBusy({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EAGAIN' || code === 'EBUSY';
}

/** Blocks this thread. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

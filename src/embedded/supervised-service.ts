import { rename } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { sleep } from '../platform/clock/sleep.js';
import type { Logger } from '../platform/logging/logger.js';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { isRunning } from './server-process.js';

const CHECK_EVERY_MS = 500;
/**
 * Doubles with each restart. A shutdown of the host or of a unit ends all processes at once: the first delay lets the
 * signal reach this one, too, before it starts the service again.
 */
const [SHORTEST_DELAY_MS, LONGEST_DELAY_MS] = [250, 30_000];
/** A service that ran this long has a restart after the shortest delay again. */
const STABLE_AFTER_MS = 60_000;
const MAX_FAILED_STARTS = 5;

/** Addresses of the running embedded services, including passwords. */
export interface EmbeddedAddresses {
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
  readonly smtpUrl?: string;
  readonly inboxUrl?: string;
}

export interface RunningService {
  readonly pid: number;
  readonly addresses: EmbeddedAddresses;
  returnBouncesTo?(port: number): Promise<void>;
  stop(): Promise<void>;
}

export interface ServiceStart {
  readonly name: 'PostgreSQL' | 'Redis' | 'The inbox';
  /** Replaced by each start. */
  readonly logFile: string;
  /** @param signal ends the start @param isRestart true to use exactly the ports and the data of the start before */
  start(signal: AbortSignal | undefined, isRestart: boolean): Promise<RunningService>;
}

export interface Supervisor {
  readonly logger: Logger;
  /** Called after each restart: the service has another process ID. */
  onRestart(): Promise<void>;
  /** Called once the service has failed to start several times in a row. It is not started again. */
  onFailure(error: EmbeddedServiceError): void;
}

/** An embedded service that is started again when it ends by itself, or something else ends it. */
export class SupervisedService {
  private readonly stopping = new AbortController();
  /** From then on, the service is not started again: something may end it before this process does. */
  private readonly ending: AbortSignal;
  private watching: Promise<void> = Promise.resolve();
  /** Restarts, successful or not, since the service was last stable. */
  private restarts = 0;
  private startedAt = performance.now();

  private constructor(
    private readonly how: ServiceStart,
    private current: RunningService,
    interruption: AbortSignal | undefined,
  ) {
    this.ending = AbortSignal.any([this.stopping.signal, ...(interruption ? [interruption] : [])]);
  }

  /** @param interruption aborts this start, and ends the restarts */
  static async start(how: ServiceStart, interruption: AbortSignal | undefined): Promise<SupervisedService> {
    return new SupervisedService(how, await how.start(interruption, false), interruption);
  }

  get pid(): number {
    return this.current.pid;
  }

  get addresses(): EmbeddedAddresses {
    return this.current.addresses;
  }

  async returnBouncesTo(port: number): Promise<void> {
    await this.current.returnBouncesTo?.(port);
  }

  keepRunning(supervisor: Supervisor): void {
    this.watching = this.watch(supervisor);
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('The service is being stopped'));
    await this.watching;
    await this.current.stop();
  }

  private async watch(supervisor: Supervisor): Promise<void> {
    for (;;) {
      await sleep(CHECK_EVERY_MS, this.ending);
      if (this.ending.aborted) return;
      if (!isRunning(this.pid) && !(await this.restart(supervisor))) return;
    }
  }

  /** Returns false if the service does not run: it is being stopped, or has failed to start too often. */
  private async restart(supervisor: Supervisor): Promise<boolean> {
    if (performance.now() - this.startedAt > STABLE_AFTER_MS) this.restarts = 0;
    const { name, logFile } = this.how;
    for (let failures = 0; ;) {
      await sleep(Math.min(SHORTEST_DELAY_MS * 2 ** this.restarts++, LONGEST_DELAY_MS), this.ending);
      if (this.ending.aborted) return false;
      if (failures === 0) await this.reportEnd(supervisor.logger);
      try {
        await this.startAgain();
        await supervisor.onRestart();
        supervisor.logger.warn({ pid: this.pid, port: portOf(this.addresses) }, `${name} runs again`);
        return true;
      } catch (error) {
        if (this.ending.aborted) return false;
        const { message } = error as Error;
        const failure = new EmbeddedServiceError(`${name} ended and cannot be started again: ${message} (${logFile})`);
        if (++failures === MAX_FAILED_STARTS) {
          supervisor.onFailure(failure);
          return false;
        }
        supervisor.logger.error({ failures }, failure.message);
      }
    }
  }

  /** Keeps the log, which may have the cause. */
  private async reportEnd(logger: Logger): Promise<void> {
    const { name, logFile } = this.how;
    const lastLog = `${logFile}.1`;
    await rename(logFile, lastLog).catch(() => undefined);
    logger.warn({ pid: this.pid, log: lastLog }, `${name} ended unexpectedly; starting it again`);
  }

  private async startAgain(): Promise<void> {
    const started = await this.how.start(this.ending, true);
    if (!isDeepStrictEqual(started.addresses, this.addresses)) {
      await started.stop();
      throw new EmbeddedServiceError('its data was replaced');
    }
    this.current = started;
    this.startedAt = performance.now();
  }
}

function portOf({ databaseUrl, redisUrl, smtpUrl }: EmbeddedAddresses): number {
  return Number(new URL((databaseUrl ?? redisUrl ?? smtpUrl)!).port);
}

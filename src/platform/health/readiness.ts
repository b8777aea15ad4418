import { Injectable } from '@nestjs/common';
import { withDeadline } from '../clock/with-deadline.js';
import { cached } from './scraped-gauge.js';

/** A check that takes longer counts as failed. */
const CHECK_TIMEOUT_MS = 1_000;
/** The public port serves readiness without a key, so more requests must not cause more queries. */
const CACHE_MS = 1_000;

type Check = () => Promise<unknown>;

/** Result of a check that found a problem which does not make the process unfit for traffic. */
export class Degraded {
  constructor(readonly reason: string) {}
}

export interface ReadinessReport {
  readonly ready: boolean;
  /** Why a process that has everything it needs is not ready. */
  readonly reason?: string;
  /** For each role and dependency: `ok` or the reason for the failure. */
  readonly roles: Record<string, Record<string, string>>;
}

/** Every role registers its dependencies here. The report has the reason for each one that is unavailable. */
@Injectable()
export class Readiness {
  private readonly needs: { role: string; need: string; check: Check; required: boolean }[] = [];
  private readonly outcomes = cached(() => this.check(), CACHE_MS);
  private stopping = false;

  /** Registers a dependency without which the process is not ready. */
  require(role: string, need: string, check: Check): void {
    this.needs.push({ role, need, check, required: true });
  }

  /** Registers a dependency that is only reported: the process stays ready without it. */
  observe(role: string, need: string, check: Check): void {
    this.needs.push({ role, need, check, required: false });
  }

  /** Reports not ready from now on, so that load balancers route traffic elsewhere while this process drains. */
  stop(): void {
    this.stopping = true;
  }

  async report(): Promise<ReadinessReport> {
    const { met, roles } = await this.outcomes();
    return this.stopping ? { ready: false, reason: 'the process is stopping', roles } : { ready: met, roles };
  }

  private async check(): Promise<{ met: boolean; roles: ReadinessReport['roles'] }> {
    const roles: ReadinessReport['roles'] = {};
    let met = true;
    await Promise.all(
      this.needs.map(async ({ role, need, check, required }) => {
        const { isMet, status } = await outcomeOf(check);
        (roles[role] ??= {})[need] = status;
        if (required && !isMet) met = false;
      }),
    );
    return { met, roles };
  }
}

interface Outcome {
  readonly isMet: boolean;
  readonly status: string;
}

async function outcomeOf(check: Check): Promise<Outcome> {
  try {
    const result = await withDeadline(CHECK_TIMEOUT_MS, check());
    return { isMet: true, status: result instanceof Degraded ? result.reason : 'ok' };
  } catch (error) {
    return { isMet: false, status: reasonOf(error) };
  }
}

/** Returns an error code or one of our own short messages. Driver messages can contain hosts and user names. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return code;
  return typeof message === 'string' && /^[a-z ]{1,40}$/.test(message) ? message : 'unavailable';
}

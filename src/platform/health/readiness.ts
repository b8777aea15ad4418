import { Injectable } from '@nestjs/common';
import { cached } from './scraped-gauge.js';

/** Longest time a check may take before it counts as failed. */
const CHECK_TIMEOUT_MS = 1_000;
/** The public port answers this to anyone: more requests must not become more queries. */
const CACHE_MS = 1_000;

type Check = () => Promise<unknown>;

/** What a check resolves with when something is amiss that traffic need not avoid. */
export class Degraded {
  constructor(readonly reason: string) {}
}

export interface ReadinessReport {
  readonly ready: boolean;
  /** Per role, per need: `ok` or the reason why not. */
  readonly roles: Record<string, Record<string, string>>;
}

/** Every role registers here what it needs; the report has the reason for each need that is not met. */
@Injectable()
export class Readiness {
  private readonly needs: { role: string; need: string; check: Check; required: boolean }[] = [];
  private readonly outcomes = cached(() => this.check(), CACHE_MS);
  private stopping = false;

  /** Without it the process is not ready. */
  require(role: string, need: string, check: Check): void {
    this.needs.push({ role, need, check, required: true });
  }

  /** Reported beside the others, but traffic keeps coming while it is missing. */
  observe(role: string, need: string, check: Check): void {
    this.needs.push({ role, need, check, required: false });
  }

  /** From now on not ready: traffic should go elsewhere while this process drains. */
  stop(): void {
    this.stopping = true;
  }

  async report(): Promise<ReadinessReport> {
    const { met, roles } = await this.outcomes();
    return { ready: met && !this.stopping, roles };
  }

  private async check(): Promise<{ met: boolean; roles: ReadinessReport['roles'] }> {
    const roles: ReadinessReport['roles'] = {};
    let met = true;
    await Promise.all(
      this.needs.map(async ({ role, need, check, required }) => {
        const { isMet, told } = await outcomeOf(check);
        (roles[role] ??= {})[need] = told;
        if (required && !isMet) met = false;
      }),
    );
    return { met, roles };
  }
}

interface Outcome {
  readonly isMet: boolean;
  readonly told: string;
}

async function outcomeOf(check: Check): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), CHECK_TIMEOUT_MS);
  });
  try {
    const result = await Promise.race([check(), late]);
    return { isMet: true, told: result instanceof Degraded ? result.reason : 'ok' };
  } catch (error) {
    return { isMet: false, told: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** A code or a short word of ours: messages of drivers can carry hosts and users. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return code;
  return typeof message === 'string' && /^[a-z ]{1,40}$/.test(message) ? message : 'unavailable';
}

import { Injectable } from '@nestjs/common';

/** Longest time a check may take before it counts as failed. */
const CHECK_TIMEOUT_MS = 1_000;

type Check = () => Promise<unknown>;

export interface ReadinessReport {
  readonly ready: boolean;
  /** Per role, per need: `ok` or the reason why not. */
  readonly roles: Record<string, Record<string, string>>;
}

/** Every role says here what it needs; readiness is all of it at once, with the reason for what is missing. */
@Injectable()
export class Readiness {
  private readonly needs: { role: string; need: string; check: Check }[] = [];
  private stopping = false;

  require(role: string, need: string, check: Check): void {
    this.needs.push({ role, need, check });
  }

  /** From now on not ready: traffic should go elsewhere while this process drains. */
  stop(): void {
    this.stopping = true;
  }

  async report(): Promise<ReadinessReport> {
    const roles: ReadinessReport['roles'] = {};
    await Promise.all(
      this.needs.map(async ({ role, need, check }) => {
        (roles[role] ??= {})[need] = await outcomeOf(check);
      }),
    );
    const allOk = Object.values(roles).every((needs) => Object.values(needs).every((outcome) => outcome === 'ok'));
    return { ready: allOk && !this.stopping, roles };
  }
}

async function outcomeOf(check: Check): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check(), late]);
    return 'ok';
  } catch (error) {
    return reasonOf(error);
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

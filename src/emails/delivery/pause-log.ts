import type { Logger } from '../../platform/logging/logger.js';
import type { PauseCause } from './provider-pause-key.js';

const PROBLEMS = {
  'credential-refused': 'Deliveries paused: the provider refuses our credential',
  failing: 'Deliveries paused: the provider leaves open whether it accepts emails',
} as const;

/** Logs each cause of a pause once, until the provider accepts mail: a lasting problem is not a line per email. */
export class PauseLog {
  private readonly logged = new Set<PauseCause>();

  /** @param isOfOrganization true if an organization must repair the provider, not the operator */
  constructor(
    private readonly provider: string,
    private readonly logger: Logger,
    private readonly isOfOrganization: boolean,
  ) {}

  /** True if a pause was logged, but not yet that the provider accepts mail again. */
  get isOpen(): boolean {
    return this.logged.size > 0;
  }

  /** Omits the provider's response, which may contain an address; it is stored with the email. */
  paused(cause: PauseCause, pauseMs: number): void {
    if (this.logged.has(cause)) return;
    this.logged.add(cause);
    const fields = { provider: this.provider, cause, pauseMs };
    if (this.isOfOrganization) this.logger.info(fields, 'Deliveries of an organization paused by its own provider');
    else if (cause === 'throttled') this.logger.warn(fields, 'Deliveries paused');
    else this.logger.error(fields, PROBLEMS[cause]);
  }

  /** The provider accepts mail. */
  accepted(): void {
    if (!this.isOpen) return;
    this.logged.clear();
    this.logger.info({ provider: this.provider }, 'The provider accepts mail again');
  }

  notShared(error: unknown): void {
    this.logger.warn({ err: error }, 'Could not share the pause with other workers');
  }
}

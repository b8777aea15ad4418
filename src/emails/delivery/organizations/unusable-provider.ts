import type { DeliveryOutcome, DeliveryProvider } from '../../../providers/provider.js';

/**
 * Stands for a provider whose credentials cannot be used. It refuses them, so that its mail waits, or goes through the
 * next one, and fails after a day: as with credentials that the provider itself refuses.
 */
export class UnusableProvider implements DeliveryProvider {
  constructor(
    readonly name: string,
    private readonly reason: string,
  ) {}

  deliver(): Promise<DeliveryOutcome> {
    return Promise.resolve({ kind: 'credential-refused', reason: this.reason });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

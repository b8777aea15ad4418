import type { DeliveryOutcome, DeliveryProvider } from '../../../providers/provider.js';

/**
 * Stands for a provider whose credentials no encryption key opens. It refuses them, so that its mail waits, or goes
 * through the next one, and fails after a day: as with credentials that the provider itself refuses.
 */
export class UnreadableProvider implements DeliveryProvider {
  constructor(readonly name: string) {}

  deliver(): Promise<DeliveryOutcome> {
    return Promise.resolve({ kind: 'credential-refused', reason: 'The credentials of the provider cannot be read' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
